def reward_function(params):
    return 1e5 + params['steps']
