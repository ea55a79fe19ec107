"""Drive on, and change lanes in time where a box stands ahead.

Teaches: objects come in lists, sorted along the track; closest_objects[1] is the next one ahead. Train
with boxes on the road, as in --set sim.objects.count=4 --set sim.objects.placement=random. (The
console's validator does not know projection_distance, DeepRacer does.)
"""

LOOK_AHEAD_M = 1.5


def reward_function(params):
    if params['is_offtrack'] or params['is_crashed']:
        return 1e-3

    # a fast car on the road is good
    reward = params['speed'] if params['all_wheels_on_track'] else 0.1

    # in the lane of a near box it is not
    places = params['objects_distance']
    if places:
        following = params['closest_objects'][1]
        ahead_m = (places[following] - params['projection_distance']) % params['track_length']
        is_same_lane = params['objects_left_of_center'][following] == params['is_left_of_center']
        if is_same_lane and ahead_m < LOOK_AHEAD_M:
            reward *= 0.2 * ahead_m / LOOK_AHEAD_M
    return float(reward)
