def reward_fuction(params):
    return 1.0
