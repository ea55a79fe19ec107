import os


def reward_function(params):
    os._exit(3)
