def reward_function(params):
    return params['speed'] + params.get('wheels_on_track', 0)
