def reward_function(params):
    return 1e200 * 1e200
