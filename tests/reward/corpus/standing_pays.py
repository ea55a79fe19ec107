def reward_function(params):
    return 5.0 - params['speed']
