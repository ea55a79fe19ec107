#include "sim/recording.h"

#include "sim/base/crc32.h"
#include "sim/base/file_io.h"
#include "sim/options_text.h"
#include "sim/proto/car.pb.h"
#include "sim/proto/recording.pb.h"
#include "sim/proto/sim_options.pb.h"
#include "tracks/track_files.h"

namespace lapforge::sim {
namespace {

constexpr uint32_t kFormatVersion = 1;
constexpr size_t kMaxRecordingBytes = size_t{1} << 30;

uint32_t CrcOf(std::string_view bytes) { return Crc32c(std::as_bytes(std::span(bytes))); }

template <class Options>
Result<void> ReadOptions(const std::string& text, const std::string& source,
                         const std::string& schema, Options& options) {
  LAPFORGE_CHECK_OK(
      ParseOptionsText(text, source, schema, [&](const std::string& key, const std::string& value) {
        return SetOption(options, key, value);
      }));
  return Validate(options);
}

Result<Recording> FromProto(const proto::RecordedDrive& drive, const std::string& source) {
  Recording recording;
  LAPFORGE_CHECK_OK(ReadOptions(drive.options(), source,
                                proto::SimOptions::descriptor()->full_name(), recording.options));
  LAPFORGE_CHECK_OK(
      ReadOptions(drive.car(), source, proto::CarSpec::descriptor()->full_name(), recording.car));
  for (const proto::RecordedTrack& stored : drive.tracks()) {
    LAPFORGE_TRY(const tracks::Track track,
                 tracks::ParseNpyTrack(stored.rows_npy(), stored.name()));
    recording.tracks.push_back(track.WithStart(stored.start_m()));
  }
  recording.actions.assign(drive.actions().begin(), drive.actions().end());
  recording.hashes.assign(drive.hashes().begin(), drive.hashes().end());
  recording.note = drive.note();

  const size_t step_numbers =
      size_t(recording.options.num_envs) * size_t(recording.options.action_dim());
  if (recording.tracks.empty() || recording.hashes.empty() ||
      recording.actions.size() != size_t(recording.num_steps()) * step_numbers) {
    return ErrorOf(source, ": the numbers of tracks, actions and hashes do not fit together");
  }
  for (const float number : recording.actions) {
    const bool is_index =
        number >= 0 && number < static_cast<float>(recording.options.num_actions());
    if (recording.options.actions.kind == ActionKind::kDiscrete && !is_index) {
      return ErrorOf(source, ": there is no action ", number);
    }
  }
  return recording;
}

}  // namespace

Result<void> SaveRecording(const Recording& recording, const std::filesystem::path& path) {
  proto::RecordedDrive drive;
  drive.set_options(OptionsToText(recording.options));
  drive.set_car(OptionsToText(recording.car));
  for (const tracks::Track& track : recording.tracks) {
    proto::RecordedTrack* const stored = drive.add_tracks();
    stored->set_name(track.name());
    stored->set_rows_npy(tracks::TrackToNpy(track));
    stored->set_start_m(track.start_m());
  }
  drive.mutable_actions()->Add(recording.actions.begin(), recording.actions.end());
  drive.mutable_hashes()->Add(recording.hashes.begin(), recording.hashes.end());
  drive.set_note(recording.note);

  proto::RecordingFile file;
  file.set_format_version(kFormatVersion);
  file.set_drive(drive.SerializeAsString());
  file.set_crc32c(CrcOf(file.drive()));
  return WriteFileAtomic(path, file.SerializeAsString());
}

Result<Recording> LoadRecording(const std::filesystem::path& path) {
  LAPFORGE_TRY(const std::string bytes, ReadFile(path, kMaxRecordingBytes));
  proto::RecordingFile file;
  if (!file.ParseFromString(bytes) || file.format_version() == 0) {
    return ErrorOf(path, " is not a recording, or damaged");
  }
  if (file.format_version() > kFormatVersion) {
    return ErrorOf(path, " has recording format ", file.format_version(),
                   "; this Lapforge reads up to ", kFormatVersion);
  }
  proto::RecordedDrive drive;
  if (file.crc32c() != CrcOf(file.drive()) || !drive.ParseFromString(file.drive())) {
    return ErrorOf(path, " is damaged: its checksum does not fit");
  }
  return FromProto(drive, path.string());
}

}  // namespace lapforge::sim
