"""Stay inside the two borders: the console's second example.

Teaches: how a border is found. `track_width` is that of the place where the car is, and
`distance_from_center` that of the car's front; half a width minus the distance is the room that is
left. The car may choose its line, and the speed that is asked for pays within it.
"""

MIN_ROOM_M = 0.05


def reward_function(params):
    room = 0.5 * params["track_width"] - params["distance_from_center"]
    if not params["all_wheels_on_track"] or room < MIN_ROOM_M:
        return 0.001
    return params["speed"] ** 2
