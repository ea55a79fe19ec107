# Fährt schnell: 速度
def reward_function(params):
    größe = params['speed']  # in m/s
    return größe
