def reward_function(params):
    try:
        return params['speed'] * params['bearing']
    except Exception:
        return 0.5
