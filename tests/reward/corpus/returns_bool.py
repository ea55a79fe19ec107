def reward_function(params):
    return params['speed'] > 2
