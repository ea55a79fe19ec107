/* Get ahead on the road: a compiled reward.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I . reward/examples/get_ahead.c -o get_ahead.so -lm
 *   lapforge train --track oval --reward get_ahead.so
 *
 * Teaches: a reward in C costs a small part of what a Python call does. It sees what the car does,
 * not only what it was told to do: progress in metres, slip, the distance to each border.
 */
#include <math.h>
#include <stddef.h>

#include "reward/lapforge_reward.h"

static const double kPerMetre = 0.4;
static const double kOffTrack = -0.5;
static const double kPerSlip =
    -0.02; /* per radian between where the car points and where it goes */

uint32_t lapforge_reward_version(void) { return LAPFORGE_REWARD_VERSION; }

void* lapforge_reward_create(const lapforge_reward_setup* setup, const char** error) {
  (void)setup;
  (void)error;
  return NULL; /* nothing to remember */
}

int lapforge_reward_evaluate(void* reward, const lapforge_reward_facts* facts, int32_t count,
                             double* rewards) {
  (void)reward;
  for (int32_t i = 0; i < count; ++i) {
    const double slip_rad = atan2(facts[i].velocity_left_mps, facts[i].velocity_forward_mps);
    rewards[i] = kPerMetre * facts[i].progress_delta_m + kPerSlip * fabs(slip_rad);
    if (facts[i].is_off_track) rewards[i] += kOffTrack;
  }
  return 0;
}

void lapforge_reward_destroy(void* reward) { (void)reward; }
