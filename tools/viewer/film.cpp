#include "tools/viewer/film.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "sim/base/file_io.h"
#include "sim/base/strings.h"
#include "tools/viewer/direct/director.h"
#include "tools/viewer/files/place.h"

namespace lapforge::viewer {
namespace {

constexpr int kStripColumns = 2;
constexpr int kMaxStripRows = 4;

double TopSpeedOf(const sim::ActionOptions& actions) {
  if (actions.discrete_speed_mps.empty()) return actions.speed_high_mps;
  return *std::max_element(actions.discrete_speed_mps.begin(), actions.discrete_speed_mps.end());
}

ScenePainter PainterOf(const sim::Recording& recording, const FilmOptions& options,
                       const tracks::Track& track) {
  SceneSetting setting;
  setting.title = options.title.empty() ? StrCat(track.name(), ", ", recording.cars.front().name)
                                        : options.title;
  setting.height_px = options.height_px;
  setting.top_speed_mps = std::max(TopSpeedOf(recording.options.actions), 0.1);
  setting.has_camera = recording.options.sensors.Has(sim::SensorKind::kCamera);
  return ScenePainter(track, recording.cars.front(), setting);
}

using SceneSink = std::function<void(const Scene&, const ScenePainter&)>;

// Shows every scene of the film to `sink`, with its painter.
Result<void> Direct(const sim::Recording& recording, const FilmOptions& options, ThreadPool* pool,
                    const SceneSink& sink) {
  std::optional<ScenePainter> painter;
  Director director(recording, options.env_index, options.fps,
                    [&](const Scene& scene) { sink(scene, *painter); });
  const auto observer = [&](const sim::VectorSim& sim, const sim::StepRows& rows, int step) {
    // the road as this car drives it
    const auto view = static_cast<size_t>(sim.now(options.env_index).track_index);
    if (step == 0) painter.emplace(PainterOf(recording, options, sim.tracks()[view]));
    director.OnStep(sim, rows, step);
  };
  LAPFORGE_TRY(const sim::ReplayReport report, sim::Replay(recording, pool, observer));
  if (report.first_different_step >= 0) {
    return ErrorOf("the drive cannot be filmed: it differs from its recording from step ",
                   report.first_different_step, " on");
  }
  director.Finish();
  return {};
}

// Scenes of a strip, ascending: those where a notice begins, the first, the last, and others in the
// middle of the widest gaps.
std::vector<int> ChooseMoments(const std::vector<int>& notices, int num_scenes) {
  const size_t max_moments = kStripColumns * kMaxStripRows;
  std::vector<int> moments = {0, num_scenes - 1};
  for (const int scene : notices) {
    if (moments.size() < max_moments && scene < num_scenes) moments.push_back(scene);
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  while (moments.size() < max_moments && static_cast<int>(moments.size()) < num_scenes) {
    size_t widest = 1;
    const auto gap = [&](size_t i) { return moments[i] - moments[i - 1]; };
    for (size_t i = 2; i < moments.size(); ++i) widest = gap(i) > gap(widest) ? i : widest;
    const int middle = moments[widest - 1] + gap(widest) / 2;
    moments.insert(moments.begin() + static_cast<ptrdiff_t>(widest), middle);
  }
  return moments;
}

}  // namespace

Result<void> Validate(const FilmOptions& options) {
  constexpr int kMinHeight_px = 180, kMaxHeight_px = 2160;
  constexpr double kMaxFps = 120;
  if (options.height_px < kMinHeight_px || options.height_px > kMaxHeight_px ||
      options.height_px % 2 != 0) {
    return ErrorOf("--video-height ", options.height_px, ": expected an even number in ",
                   kMinHeight_px, " .. ", kMaxHeight_px);
  }
  if (!(options.fps >= 1 && options.fps <= kMaxFps)) {
    return ErrorOf("--video-fps ", options.fps, ": expected a number in 1 .. ", kMaxFps);
  }
  return {};
}

VideoFormat FormatOf(const FilmOptions& options) {
  return {WidthOf(options.height_px), options.height_px, options.fps};
}

int EnvToFollow(const sim::ReplayReport& report) {
  const sim::LapResult* best = nullptr;
  for (const sim::LapResult& lap : report.laps) {
    if (lap.episode_index > 0) continue;
    const bool is_better =
        best == nullptr ||
        (lap.is_clean != best->is_clean ? lap.is_clean : lap.lap_time_us < best->lap_time_us);
    if (is_better) best = &lap;
  }
  return best == nullptr ? 0 : best->env_index;
}

Result<void> FilmDrive(const sim::Recording& recording, const FilmOptions& options,
                       ThreadPool* pool, VideoFile& video) {
  LAPFORGE_CHECK_OK(Direct(
      recording, options, pool,
      [&](const Scene& scene, const ScenePainter& painter) { video.Add(painter.Paint(scene)); }));
  return video.Finish();
}

Result<void> CheckStripPath(const std::filesystem::path& path) {
  return CheckPlace(path, "picture", ".png");
}

Result<void> DrawStrip(const sim::Recording& recording, const FilmOptions& options,
                       ThreadPool* pool, const std::filesystem::path& path) {
  LAPFORGE_CHECK_OK(CheckStripPath(path));
  int num_scenes = 0;
  std::vector<int> notices;
  std::string last_notice;
  LAPFORGE_CHECK_OK(Direct(recording, options, pool, [&](const Scene& scene, const ScenePainter&) {
    if (!scene.notice.empty() && scene.notice != last_notice) notices.push_back(num_scenes);
    last_notice = scene.notice;
    ++num_scenes;
  }));

  // a picture for each moment, row by row; the last scene is seen for longer, but drawn once
  num_scenes -= NumLastScenes(options.fps) - 1;
  const std::vector<int> moments = ChooseMoments(notices, num_scenes);
  const int num_rows = (static_cast<int>(moments.size()) + kStripColumns - 1) / kStripColumns;
  const int width_px = WidthOf(options.height_px);
  tracks::PixelCanvas strip(kStripColumns * width_px, num_rows * options.height_px, {});
  int index = 0;
  int place = 0;
  const auto paste = [&](const Scene& scene, const ScenePainter& painter) {
    if (!std::binary_search(moments.begin(), moments.end(), index++)) return;
    strip.Paste(painter.Paint(scene), place % kStripColumns * width_px,
                place / kStripColumns * options.height_px);
    ++place;
  };
  LAPFORGE_CHECK_OK(Direct(recording, options, pool, paste));
  return WriteFileAtomic(path, strip.Encode());
}

}  // namespace lapforge::viewer
