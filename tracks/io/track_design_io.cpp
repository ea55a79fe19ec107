#include "tracks/io/track_design_io.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <vector>

#include "sim/base/strings.h"
#include "tracks/io/text_lines.h"
#include "tracks/proto/track.pb.h"

namespace lapforge::tracks {
namespace {

namespace pb = google::protobuf;

// " (did you mean 'x'?)" where protobuf complains: Message type "M" has no field named "y".
std::string Suggestion(const std::string& complaint) {
  const std::vector<std::string_view> parts = Split(complaint, '"');
  if (parts.size() < 4 || parts[2] != " has no field named ") return "";
  const pb::Descriptor* type =
      pb::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string(parts[1]));
  if (type == nullptr) return "";
  std::vector<std::string> names;
  for (int i = 0; i < type->field_count(); ++i) names.push_back(type->field(i)->name());
  return DidYouMean(parts[3], names);
}

// Keeps the first complaint.
class FirstError : public pb::io::ErrorCollector {
 public:
  explicit FirstError(const std::string& source) : source_(source) {}

  const Error& error() const { return error_; }

  void AddError(int line, int /*column*/, const std::string& message) override {
    if (!error_.message.empty()) return;
    error_ =
        ErrorOf(source_, ":", std::max(line, 0) + 1, ": ", Printable(message), Suggestion(message));
  }
  void AddWarning(int, int, const std::string&) override {}

 private:
  std::string source_;
  Error error_;
};

// The line, from 1, where element `index` of a repeated field begins.
int LineOf(const pb::TextFormat::ParseInfoTree& places, const char* field, int index) {
  const pb::Descriptor* type = proto::TrackDesign::descriptor();
  return places.GetLocation(type->FindFieldByName(field), index).line + 1;
}

Result<DesignSegment> ReadSegment(const proto::Segment& from, int line) {
  DesignSegment segment;
  segment.line = line;
  if (from.has_end_width_m()) segment.end_width_m = from.end_width_m();
  switch (from.shape_case()) {
    case proto::Segment::kStraight:
      segment.shape = SegmentShape::kStraight;
      segment.length_m = from.straight().length_m();
      segment.fit = from.straight().fit();
      return segment;
    case proto::Segment::kArc:
      segment.shape = SegmentShape::kArc;
      segment.radius_m = from.arc().radius_m();
      segment.angle_rad = RadFromDeg(from.arc().angle_deg());
      segment.fit = from.arc().fit();
      return segment;
    case proto::Segment::kTransition:
      segment.shape = SegmentShape::kTransition;
      segment.length_m = from.transition().length_m();
      return segment;
    case proto::Segment::SHAPE_NOT_SET:
      break;
  }
  return ErrorOf(line, ": an empty segment; expected a straight, an arc or a transition");
}

Result<DesignPoint> ReadPoint(const proto::Point& from, int line) {
  DesignPoint point{{from.x_m(), from.y_m()}, from.left_m(), from.right_m(), {}, line};
  if (!from.has_left() && !from.has_right()) return point;
  if (!from.has_left() || !from.has_right() || from.left_m() != 0 || from.right_m() != 0) {
    return ErrorOf(line, ": expected either both of left_m, right_m or both of left, right");
  }
  point.borders_m = BorderPoints{{from.left().x_m(), from.left().y_m()},
                                 {from.right().x_m(), from.right().y_m()}};
  return point;
}

}  // namespace

Result<TrackDesign> ParseTrackDesign(std::string_view text, const std::string& source) {
  proto::TrackDesign message;
  FirstError errors(source);
  pb::TextFormat::ParseInfoTree places;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &message)) return errors.error();

  TrackDesign design;
  design.name = message.name();
  design.description = message.description();
  design.width_m = message.width_m();
  if (message.has_spacing_m()) design.spacing_m = message.spacing_m();
  design.is_open = message.is_open();
  design.inner_is_right = message.inner_is_right();
  for (int i = 0; i < message.segment_size(); ++i) {
    Result<DesignSegment> segment = ReadSegment(message.segment(i), LineOf(places, "segment", i));
    if (!segment.ok()) return ErrorOf(source, ":", segment.error().message);
    design.segments.push_back(*segment);
  }
  for (int i = 0; i < message.point_size(); ++i) {
    Result<DesignPoint> point = ReadPoint(message.point(i), LineOf(places, "point", i));
    if (!point.ok()) return ErrorOf(source, ":", point.error().message);
    design.points.push_back(*point);
  }
  return design;
}

}  // namespace lapforge::tracks
