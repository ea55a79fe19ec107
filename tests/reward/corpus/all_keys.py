KEYS = ('all_wheels_on_track x y heading distance_from_center projection_distance progress steps '
        'speed steering_angle track_width track_length waypoints closest_waypoints '
        'is_left_of_center is_reversed closest_objects objects_location objects_left_of_center '
        'object_in_camera objects_speed objects_heading objects_distance_from_center '
        'objects_distance is_crashed is_offtrack sim_time').split()


def reward_function(params):
    assert sorted(KEYS) == sorted(params), sorted(params)
    return params['speed']
