def reward_function(params):
    if abs(params['steering']) > 15:
        return 0.5
    return 1.0
