def reward_function(params, scale=2.0):
    return scale * params['speed']
