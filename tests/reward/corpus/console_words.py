# the payload of a step
def reward_function(params):
    return float(params['speed'])
