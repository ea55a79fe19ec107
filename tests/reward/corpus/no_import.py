def reward_function(params):
    share = params['distance_from_center'] / params['track_width']
    if share <= 0.1:
        return 1.0
    if share <= 0.25:
        return 0.5
    if share <= 0.5:
        return 0.1
    return 1e-3
