#include "agents/algorithms/ppo_engine.h"
#include "agents/rollout/collector.h"

namespace lapforge::agents {
namespace {

class HostEngine : public PpoEngine {
 public:
  HostEngine(const TrainOptions& options, const PpoParts& parts)
      : buffer_(options.ppo.horizon, parts.environment->spec()),
        collector_(parts.environment, parts.nets, parts.normalizer, parts.pool, options.seed),
        ppo_(options.ppo, parts.environment->spec(), parts.nets, parts.pool, options.seed) {}

  Result<bool> Collect(const StopCheck& should_stop) override {
    return collector_.Collect(buffer_, should_stop);
  }
  Result<std::optional<UpdateStats>> Update(double learning_rate,
                                            const StopCheck& should_stop) override {
    return ppo_.Update(buffer_, learning_rate, should_stop);
  }
  void Save(ByteWriter& writer) const override {
    collector_.Save(writer);
    ppo_.Save(writer);
  }
  bool Restore(ByteReader& reader) override {
    return collector_.Restore(reader) && ppo_.Restore(reader);
  }

 private:
  RolloutBuffer buffer_;
  Collector collector_;
  Ppo ppo_;
};

}  // namespace

std::unique_ptr<PpoEngine> MakeHostEngine(const TrainOptions& options, const PpoParts& parts) {
  return std::make_unique<HostEngine>(options, parts);
}

}  // namespace lapforge::agents
