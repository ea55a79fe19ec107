import threading
import time


def idle():
    while True:
        time.sleep(0.01)


threading.Thread(target=idle, daemon=True).start()


def reward_function(params):
    return params['speed']
