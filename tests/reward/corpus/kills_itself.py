import os
import signal


def reward_function(params):
    os.kill(os.getpid(), signal.SIGKILL)
    return 1.0
