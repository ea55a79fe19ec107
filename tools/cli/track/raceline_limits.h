// What a car can do, as racing lines need it.
#pragma once

#include "sim/car.h"
#include "tracks/raceline.h"

namespace lapforge::cli {

// Limits of a car as a point mass. Turning: all grip, as long as the steering reaches. Driving and
// braking: until the first axle loses its grip, because a spinning or locked axle does not guide.
// Lags and latency are left out: a driver knows the line and acts ahead.
tracks::RacelineLimits LimitsOf(const sim::CarSpec& car, double margin_m);

}  // namespace lapforge::cli
