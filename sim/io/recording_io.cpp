// Recording files: protobuf inside an envelope with version and checksum.
#include <cstring>

#include "sim/base/file_io.h"
#include "sim/base/hash.h"
#include "sim/base/strings.h"
#include "sim/base/whole_message.h"
#include "sim/options_text.h"
#include "sim/proto/recording.pb.h"
#include "sim/recording.h"
#include "tracks/track_files.h"

namespace lapforge::sim {
namespace {

// Rises with every change of this file's layout, of VisitState or of the physics: hashes of older
// recordings cannot be met any more.
constexpr uint32_t kFormatVersion = 3;
// A day of one car at 15 Hz takes 20 MB.
constexpr size_t kMaxFileBytes = size_t{1} << 30;

proto::Recording ToProto(const Recording& recording) {
  proto::Recording message;
  message.set_options(OptionsToText(recording.options));
  for (const CarSpec& car : recording.cars) message.add_cars(OptionsToText(car));
  for (const tracks::Track& track : recording.tracks) {
    proto::RecordedTrack& stored = *message.add_tracks();
    stored.set_name(track.name());
    stored.set_npy(tracks::TrackToNpy(track.is_reversed() ? track.Reversed() : track));
    stored.set_is_reversed(track.is_reversed());
    stored.set_start_m(track.start_m());
  }
  message.set_actions(recording.actions.data(), recording.actions.size() * sizeof(float));
  message.mutable_hashes()->Add(recording.hashes.begin(), recording.hashes.end());
  message.set_note(recording.note);
  return message;
}

template <class Options>
Result<void> ParseInto(const std::string& text, const char* schema_name, Options& options) {
  return ParseOptionsText(text, "options inside", schema_name,
                          [&](const std::string& path, const std::string& value) {
                            return SetOption(options, path, value);
                          });
}

Result<tracks::Track> TrackFrom(const proto::RecordedTrack& stored) {
  LAPFORGE_TRY(tracks::Track track,
               tracks::ParseNpyTrack(stored.npy(), StrCat(stored.name(), ".npy")));
  if (stored.is_reversed()) track = track.Reversed();
  return track.WithStart(stored.start_m());
}

Result<Recording> FromProto(const proto::Recording& message) {
  Recording recording;
  LAPFORGE_CHECK_OK(
      ParseInto(message.options(), "lapforge.sim.proto.SimOptions", recording.options));
  for (const std::string& text : message.cars()) {
    CarSpec& car = recording.cars.emplace_back();
    LAPFORGE_CHECK_OK(ParseInto(text, "lapforge.sim.proto.CarSpec", car));
    LAPFORGE_CHECK_OK(Validate(car));
  }
  LAPFORGE_CHECK_OK(Validate(recording.options));
  for (const proto::RecordedTrack& stored : message.tracks()) {
    LAPFORGE_TRY(tracks::Track track, TrackFrom(stored));
    recording.tracks.push_back(std::move(track));
  }
  recording.hashes.assign(message.hashes().begin(), message.hashes().end());
  recording.note = message.note();

  const size_t row_bytes = sizeof(float) * static_cast<size_t>(recording.options.num_envs) *
                           static_cast<size_t>(recording.options.action_dim());
  if (recording.tracks.empty() || recording.cars.empty() || recording.hashes.empty() ||
      message.actions().size() != static_cast<size_t>(recording.num_steps()) * row_bytes) {
    return ErrorOf("numbers of tracks, cars, actions and hashes do not fit together");
  }
  recording.actions.resize(message.actions().size() / sizeof(float));
  std::memcpy(recording.actions.data(), message.actions().data(), message.actions().size());
  return recording;
}

}  // namespace

Result<void> SaveRecording(const Recording& recording, const std::filesystem::path& path) {
  proto::RecordingFile file;
  file.set_format_version(kFormatVersion);
  file.set_content(ToProto(recording).SerializeAsString());
  file.set_checksum(HashText(file.content()));
  return WriteFileAtomic(path, file.SerializeAsString());
}

Result<Recording> LoadRecording(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxFileBytes));
  proto::RecordingFile file;
  const bool is_whole = ParseWholeMessage(bytes, file);
  if (file.format_version() > kFormatVersion) {
    return ErrorOf(path, ": recording format ", file.format_version(),
                   " is newer than this program reads (", kFormatVersion, "); update Lapforge");
  }
  if (!is_whole || file.format_version() == 0) {
    return ErrorOf(path, ": not a recording, or damaged");
  }
  if (file.format_version() < kFormatVersion) {
    return ErrorOf(path, ": recording format ", file.format_version(),
                   " is older than this program replays (", kFormatVersion,
                   "); record the drive again");
  }
  proto::Recording content;
  if (file.checksum() != HashText(file.content()) || !content.ParseFromString(file.content())) {
    return ErrorOf(path, ": the recording is damaged: its checksum differs");
  }
  Result<Recording> recording = FromProto(content);
  if (!recording.ok()) return ErrorOf(path, ": ", recording.error().message);
  return recording;
}

}  // namespace lapforge::sim
