import ctypes


def reward_function(params):
    return ctypes.string_at(0)
