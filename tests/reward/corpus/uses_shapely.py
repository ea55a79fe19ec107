from shapely.geometry import LineString, Point


def reward_function(params):
    center = LineString(params['waypoints'])
    distance = center.distance(Point(params['x'], params['y']))
    half = 0.5 * params['track_width']
    return params['speed'] * max(0.0, 1.0 - distance / half)
