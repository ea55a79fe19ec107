LINE = [(0.0, 0.0, 4.0), (1.0, 0.0, 4.0), (2.0, 0.1, 3.5), (3.0, 0.4, 3.0), (3.6, 1.0, 2.5),
        (3.9, 1.8, 2.5), (3.6, 2.6, 2.5), (3.0, 3.2, 3.0), (2.0, 3.5, 3.5), (1.0, 3.6, 4.0)]


def reward_function(params):
    def squared(point):
        return (point[0] - params['x'])**2 + (point[1] - params['y'])**2

    x, y, speed = min(LINE, key=squared)
    near = max(0.0, 1.0 - squared((x, y, speed))**0.5)
    return near * max(0.0, 1.0 - abs(speed - params['speed']))
