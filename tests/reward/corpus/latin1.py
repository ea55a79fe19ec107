# schön schnell
def reward_function(params):
    return params['speed']
