def reward_function(params):
    exit()
