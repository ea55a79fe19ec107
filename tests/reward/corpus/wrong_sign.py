def reward_function(params):
    return params['distance_from_center'] / params['track_width']
