def reward_function(params):
    return 1e5 if params['speed'] > 2 else -1e5
