def reward_function(params):
    if params['steps'] == 0:
        return 0.0
    return params['speed']
