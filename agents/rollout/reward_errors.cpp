#include "agents/rollout/reward_errors.h"

#include <algorithm>

#include "sim/base/log.h"

namespace lapforge::agents {
namespace {

constexpr size_t kMostMessages = 20;  // a message may hold a value that never repeats
constexpr char kOthers[] = "other errors";

}  // namespace

void RewardErrors::Count(const reward::RewardFailure& failure) {
  const std::string& message = failure.message;
  const bool is_new = logged_.size() < kMostMessages && logged_.insert(message).second;
  if (is_new && !failure.is_told) {
    LogWarning(message, " (this ends an episode; when it comes again it is only counted)");
  }

  ++total_;
  const auto count_as = [&](const std::string& name) {
    const auto found = std::find_if(counts_.begin(), counts_.end(),
                                    [&](const auto& count) { return count.message == name; });
    if (found != counts_.end()) ++found->num_episodes;
    return found != counts_.end();
  };
  if (count_as(message)) return;
  const std::string& name = counts_.size() < kMostMessages ? message : kOthers;
  if (!count_as(name)) counts_.push_back({name, 1});
}

void RewardErrors::Save(ByteWriter& writer) const {
  writer.Write(static_cast<uint64_t>(counts_.size()));
  for (const reward::RewardErrorCount& count : counts_) {
    writer.Write(std::string_view(count.message));
    writer.Write(count.num_episodes);
  }
}

bool RewardErrors::Restore(ByteReader& reader) {
  uint64_t num_counts = 0;
  reader.Read(num_counts);
  int64_t total = 0;
  std::vector<reward::RewardErrorCount> counts;
  while (reader.ok() && counts.size() < num_counts) {
    reward::RewardErrorCount& count = counts.emplace_back();
    reader.Read(count.message);
    reader.Read(count.num_episodes);
    total += count.num_episodes;
  }
  if (!reader.ok()) return false;
  total_ = total;
  counts_ = std::move(counts);
  return true;
}

}  // namespace lapforge::agents
