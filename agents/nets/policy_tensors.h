// Between nets in memory and policies on disk.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "agents/nets/actor_critic.h"
#include "agents/nets/network.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/policy.h"

namespace lapforge::agents {

// A net's parameters under their names behind "actor.".
std::vector<NamedTensor> ActorTensors(const Network& network, std::span<const float> parameters);

// The actor's tensors and, where observations are normalised, "normalizer.mean" and
// "normalizer.inverse_std" [inputs]. Fills nothing else.
Policy PolicyFromNets(const ActorCritic& nets, const ObservationNormalizer& normalizer);

// What a policy that learned with these options sees, does and is made of.
void FillPolicyOptions(const TrainOptions& options, Policy& policy);

// Drives by the current parameters of nets that go on learning; borrows both.
std::unique_ptr<PolicyDriver> MakePolicyDriver(DistributionKind kind, const ActorCritic* nets,
                                               const ObservationNormalizer* normalizer);

// The same for one net, borrowed, and the parameters it has at the time of a call. `rows_at_once`:
// of one forward pass, best as many as there are to drive; 0: few.
std::unique_ptr<PolicyDriver> MakeNetworkDriver(DistributionKind kind, const Network* network,
                                                std::function<Parameters()> parameters,
                                                int rows_at_once = 0);

}  // namespace lapforge::agents
