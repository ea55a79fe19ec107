import bisect
import json
import logging
import time
import traceback

LIMITS = [0.1, 0.25, 0.5]
REWARDS = json.loads('[1.0, 0.5, 0.1, 0.001]')
STARTED = time.time()


def reward_function(params):
    try:
        share = params['distance_from_center'] / params['track_width']
    except ZeroDivisionError:
        logging.warning(traceback.format_exc())
        return 0.0
    logging.debug('%s', time.time() - STARTED)
    return REWARDS[bisect.bisect_left(LIMITS, share)] * params['speed']
