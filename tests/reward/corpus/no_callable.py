reward_function = 3.0
