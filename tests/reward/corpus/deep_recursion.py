def reward_function(params):
    return reward_function(params)
