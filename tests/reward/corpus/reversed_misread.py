def reward_function(params):
    return 0.0 if params['is_reversed'] else params['speed']
