def reward_function(params):
    return float(input())
