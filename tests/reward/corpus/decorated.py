import functools


def clipped(function):
    @functools.wraps(function)
    def call(params):
        return min(1.0, max(0.0, function(params)))
    return call


@clipped
def reward_function(params):
    return params['speed'] - 1.0
