// Many envs, one car each, stepped together: alone on their roads, or some of them racing each
// other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/thread_pool.h"
#include "sim/car.h"
#include "sim/sensors.h"
#include "sim/sim_options.h"
#include "sim/step_facts.h"
#include "tracks/track.h"

namespace lapforge::sim {

// The caller owns all buffers; they stay valid during the call. Rows are envs.
struct StepBatch {
  std::span<const float> actions;           // [num_envs, action_dim]
  std::span<std::byte> observations;        // [num_envs, row_bytes] after any respawn
  std::span<std::byte> final_observations;  // [num_envs, row_bytes] written where an env ended
  std::span<StepFacts> facts;               // [num_envs]
};

// Envs [begin, end).
struct EnvRange {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};

class DeviceEyes;  // private header sim/sensors/device_eyes.h; sim/cuda has one
struct EnvState;   // private header sim/episode/env.h

// Observation rows [.., row_bytes] in a device's memory.
struct DeviceRows {
  std::byte* first = nullptr;
  void* stream = nullptr;  // where drawing is queued: a cudaStream_t, or null for the default one
};

// The phases of a step, for benchmarks.
enum class StepPhase { kActuate, kIntegrate, kMeasureAndJudge, kObserve };
inline constexpr int kNumStepPhases = 4;

// Time spent in each StepPhase.
struct PhaseTimes {
  std::array<int64_t, kNumStepPhases> ns{};
};

// A start pose set by hand (tests, demonstrations, replays of one situation).
struct Placement {
  Vec2 front_point_m;  // where DeepRacer's P shall be
  double yaw_rad = 0;
  double speed_mps = 0;
  double start_arc_length_m = 0;  // of the episode, for progress
  double previous_progress_pct = 0;
};

// Facts move like this: actions -> actuate -> integrate -> measure -> judge -> observe -> batch.
// Worlds share nothing mutable and all randomness is indexed by (seed, env, episode, purpose), so
// results do not depend on the thread count. A step never allocates, throws, logs or reads a clock.
//
// `options.cars_per_world` envs in a row are the cars of one world: they collide, see each other
// and are objects in each other's facts. Each has its own episodes: one that ends leaves the others
// where they are, and starts again where the road is free.
class VectorSim {
 public:
  // Env i drives cars[i % cars.size()], world i tracks[i % tracks.size()]. An action asks all cars
  // for the same speed and angle; each does what its own limits allow. `pool` is borrowed and must
  // outlive the simulator. Errors: invalid options or cars, no tracks. On an open track an episode
  // starts near the first waypoint, and reaching the last one completes its only lap.
  static Result<std::unique_ptr<VectorSim>> Create(const SimOptions& options,
                                                   std::vector<CarSpec> cars,
                                                   std::vector<tracks::Track> tracks,
                                                   ThreadPool* pool);
  // The same car in all envs.
  static Result<std::unique_ptr<VectorSim>> Create(const SimOptions& options, const CarSpec& car,
                                                   std::vector<tracks::Track> tracks,
                                                   ThreadPool* pool);
  ~VectorSim();

  const SimOptions& options() const;
  const CarSpec& car(int env_index = 0) const;
  std::span<const CarSpec> cars() const;
  int num_envs() const;
  const ObservationSpec& observation_spec() const;
  // The views that StepFacts::track_index points into: [2 * i] forward, [2 * i + 1] reversed; of
  // each track in all widths that RandomizeOptions asks for (NumTrackWidths).
  std::span<const tracks::Track> tracks() const;

  // Starts episode 0 of every env from options().seed and writes the first observations
  // [num_envs, row_bytes].
  void Reset(std::span<std::byte> observations);

  // One control step of every env. An ended env respawns within the step: `facts` and
  // `final_observations` describe the end, `observations` the new start.
  void Step(const StepBatch& batch);
  // The same for some envs, whole worlds; other rows of the batch are left alone. In any order, the
  // parts of a step give what one Step gives.
  void Step(const StepBatch& batch, const EnvRange& envs);

  // The same step on the calling thread alone, with a clock: for benchmarks.
  PhaseTimes StepTimed(const StepBatch& batch);

  // Ends the episode of one env from outside, after a step that did not end it: the env respawns as
  // after any end, and its row of the observations [num_envs, row_bytes] shows the new start. The
  // facts of the step are the caller's, who says there why it ended.
  void EndEpisode(int env_index, std::span<std::byte> observations);

  // Puts one env's car at a pose and starts an episode there in the present direction; the
  // next Step goes on from it. The pose must be finite.
  void Place(int env_index, const Placement& placement);

  // Writes what the sensors of all envs say now [num_envs, row_bytes]: after Place or Restore.
  void Observe(std::span<std::byte> observations) const;

  // From now on a device draws what cameras and lidars see, in all calls that write observations:
  // the same bytes, after the other phases of all envs. Errors: what the device does not know.
  Result<void> UseEyes(std::unique_ptr<DeviceEyes> eyes);
  // Of observation_spec(), those that a device draws: none without UseEyes.
  std::vector<SensorSpec> drawn_sensors() const;
  // Drawn into the device's rows [num_envs, row_bytes] from now on, where the host's then lack
  // these sensors; a step queues that and does not wait. Without rows: into the host's again. Final
  // observations are the host's always.
  void DrawInto(const DeviceRows& rows);
  // The first thing that went wrong on the device; then what it drew is of no use.
  const std::optional<Error>& eyes_error() const;

  // Ground truth of one env at this instant, whatever SimOptions::facts says. What the judge and
  // the action's phase write is empty.
  const StepFacts& now(int env_index) const;

  // The whole mutable state as bytes. Restoring them into a simulator made with the same options,
  // cars and tracks continues to exactly the same bits; anything else is an error that says why,
  // and leaves the simulator as it was.
  std::vector<std::byte> Save() const;
  Result<void> Restore(std::span<const std::byte> bytes);

  // One number for the whole state (all envs), and for one env without what its world shares.
  uint64_t StateHash() const;
  uint64_t StateHash(int env_index) const;

  // Envs that met a non-finite state since Reset.
  int64_t num_faults() const;

 private:
  friend class Cockpit;
  class Impl;
  const EnvState& StateOf(int env_index) const;
  explicit VectorSim(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The rows of a simulator's steps, for callers without buffers of their own.
struct StepRows {
  explicit StepRows(const VectorSim& sim)
      : actions(size_t(sim.num_envs()) * size_t(sim.options().action_dim())),
        observations(size_t(sim.num_envs()) * sim.observation_spec().row_bytes),
        final_observations(observations.size()),
        facts(size_t(sim.num_envs())) {}

  StepBatch batch() { return {actions, observations, final_observations, facts}; }

  std::vector<float> actions;
  std::vector<std::byte> observations;
  std::vector<std::byte> final_observations;
  std::vector<StepFacts> facts;
};

// One car of a simulator through the sensors and actions of its own driver: the drivers of a race
// may have learned with others than the simulator's, and each with its own.
class Cockpit {
 public:
  // `sim` is borrowed and must outlive the cockpit. Errors: invalid options, no memory for what a
  // camera sees.
  static Result<std::unique_ptr<Cockpit>> Create(const VectorSim& sim, int env_index,
                                                 const SensorOptions& sensors,
                                                 const ActionOptions& actions);
  ~Cockpit();

  const ObservationSpec& observation_spec() const;

  // What the sensors say now [row_bytes], the same bytes as in a simulator that has these sensors
  // and actions. Only how high the other cars are is as the cockpit's simulator has it.
  void Observe(std::span<std::byte> row) const;

  // From the driver's numbers to the row of VectorSim::Step that asks for the same command, as far
  // as its range goes. The next observations show the driver's numbers as the last action.
  void Act(std::span<const float> numbers, std::span<float> action);

 private:
  class Impl;
  explicit Cockpit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapforge::sim
