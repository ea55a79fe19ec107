"""Get ahead without sliding.

Teaches: the extra keys. DeepRacer's `speed` is what the action asks for; here `progress_delta` is
what the car made of it, in metres, and `slip_angle` shows a slide while it begins. A file that names
one extra key in quotes gets all of them: `lapforge reward keys` lists them. (DeepRacer itself does
not know these keys.)
"""

FREE_SLIP_DEGREES = 6.0  # tyres work best with a little


def reward_function(params):
    if params["is_offtrack"]:
        return -1.0
    slide = max(0.0, abs(params["slip_angle"]) - FREE_SLIP_DEGREES)
    return 4.0 * params["progress_delta"] - 0.02 * slide
