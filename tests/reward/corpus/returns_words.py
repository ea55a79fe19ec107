def reward_function(params):
    return 'fast'
