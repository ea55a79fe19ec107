def reward_function(params):
    if params['all_wheels_on_track']:
        return params['speed']
