def reward_function(params):
    return 1.0 if params['all_wheels_on_track'] else 0.1
