#include "agents/proto/train_options.pb.h"
#include "agents/train_options.h"

namespace lapforge::agents {

// Naming the schema here also keeps it in the program: linkers drop what nobody names.
std::string TrainOptionsSchema() { return proto::TrainOptions::descriptor()->full_name(); }

}  // namespace lapforge::agents
