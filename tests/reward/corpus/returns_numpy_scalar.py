import numpy


def reward_function(params):
    return numpy.float32(params['speed'])
