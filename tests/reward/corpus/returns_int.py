def reward_function(params):
    return 1 if params['speed'] > 2 else 0
