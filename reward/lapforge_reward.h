/* Rewards that users compile: C99, also C++.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I . my_reward.c -o my_reward.so -lm
 *   lapforge train --track oval --reward my_reward.so
 *
 * where -I names the folder that holds reward/lapforge_reward.h.
 *
 * A file defines the four functions at the end; reward/examples/get_ahead.c is one. They are called
 * from one thread. All positions are those of the front point (0.14 m ahead of the car's origin on
 * the standard car), angles are in radians, counter-clockwise and left positive.
 */
#ifndef LAPFORGE_REWARD_H_
#define LAPFORGE_REWARD_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a struct or a function changes; files compiled for another version are refused. */
#define LAPFORGE_REWARD_VERSION 1u

#define LAPFORGE_REWARD_MAX_OBJECTS 8

/* One driving direction of a track. Arrays of x, y pairs [2 * num_waypoints], in driving order; on
 * a closed track the last waypoint repeats the first. Valid until lapforge_reward_destroy. */
typedef struct lapforge_reward_track {
  const char* name;
  int32_t is_closed;
  int32_t is_reversed; /* against the direction of the file */
  double length_m;
  int32_t num_waypoints;
  const double* center_m;
  const double* left_m;
  const double* right_m;
} lapforge_reward_track;

typedef struct lapforge_reward_setup {
  int32_t num_tracks;
  const lapforge_reward_track* tracks; /* [num_tracks] */
} lapforge_reward_setup;

/* What one car did in one step. Names and meanings are those of StepFacts and of
 * `lapforge reward keys`; flags are 0 or 1. */
typedef struct lapforge_reward_facts {
  /* episode */
  int32_t car;          /* 0 .. number of cars - 1 */
  int32_t track;        /* into the tracks of the set-up */
  int32_t steps;        /* of the episode; 2 in its first step, as DeepRacer counts */
  int32_t is_terminal;  /* the episode ends: off track, crashed, stuck, driven backwards */
  int32_t is_truncated; /* the episode ends: laps or time are over */
  int32_t lap_count;
  double lap_time_s; /* of the lap that this step completed, else 0 */
  double time_s;     /* simulated time at the start of the step */

  /* what was asked for */
  double steering_cmd_rad;
  double speed_cmd_mps;
  double action[2];      /* steering, speed in -1 .. 1 */
  double last_action[2]; /* of the step before; 0 at the start */

  /* the car */
  double x_m, y_m, yaw_rad;
  double velocity_forward_mps, velocity_left_mps;
  double yaw_rate_radps;
  double steering_rad;
  double slip_ratio[4]; /* wheels: rear left, rear right, front left, front right */
  double tire_slip_angle_rad[4];

  /* the car on the track */
  double arc_length_m;     /* along the centerline from waypoint 0 */
  double lateral_offset_m; /* from the centerline */
  double heading_error_rad;
  double half_width_left_m, half_width_right_m;
  double progress_pct;     /* 100 when a lap completes */
  double progress_delta_m; /* since the step before */
  int32_t wheel_on_road[4];
  int32_t is_off_track; /* episode.off_track_wheels outside: all four */
  int32_t is_crashed;

  /* boxes on the road, in the order of their arc lengths */
  int32_t num_objects;
  int32_t previous_object, next_object; /* 0 without objects */
  double object_arc_length_m[LAPFORGE_REWARD_MAX_OBJECTS];
  double object_lateral_offset_m[LAPFORGE_REWARD_MAX_OBJECTS];
} lapforge_reward_facts;

/* To be defined by the file. */

/* return LAPFORGE_REWARD_VERSION; */
uint32_t lapforge_reward_version(void);

/* What the other calls get as `reward`; NULL where there is nothing to keep. To refuse, point
 * `*error`, NULL before, to a line that says why; it is copied. */
void* lapforge_reward_create(const lapforge_reward_setup* setup, const char** error);

/* Fills rewards[count] from facts[count], one for each car that made a step: finite numbers within
 * -1e5 .. 1e5. Returns 0; anything else stops the training. */
int lapforge_reward_evaluate(void* reward, const lapforge_reward_facts* facts, int32_t count,
                             double* rewards);

void lapforge_reward_destroy(void* reward);

#ifdef __cplusplus
}
#endif

#endif /* LAPFORGE_REWARD_H_ */
