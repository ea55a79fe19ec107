def reward_function(params):
    return params['speed_measured'] - 0.01 * abs(params['slip_angle'])
