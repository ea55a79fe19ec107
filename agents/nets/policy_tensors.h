// Between nets in memory and policies on disk.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "agents/nets/actor_critic.h"
#include "agents/nets/network.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/policy.h"

namespace lapforge::agents {

// The tensors of a net: "actor.<name>" for each of its own. Fills nothing else.
Policy PolicyFromNetwork(const Network& net, std::span<const float> parameters);

// The same of the actor and, where observations are normalised, "normalizer.mean" and
// "normalizer.inverse_std" [inputs].
Policy PolicyFromNets(const ActorCritic& nets, const ObservationNormalizer& normalizer);

// What a policy that learned with these options sees, does and is made of.
void FillPolicyOptions(const TrainOptions& options, Policy& policy);

// How many rows the drivers of a policy compute at a time; more than there are do not count.
int RowsAtOnce(const sim::ObservationSpec& row);

// Drives by the current parameters of nets that go on learning; borrows both.
std::unique_ptr<PolicyDriver> MakePolicyDriver(DistributionKind kind, const ActorCritic* nets,
                                               const ObservationNormalizer* normalizer);
std::unique_ptr<PolicyDriver> MakeNetworkDriver(DistributionKind kind, const Network& net,
                                                const std::vector<float>* parameters,
                                                int rows_at_once);

}  // namespace lapforge::agents
