// Between nets in memory and policies on disk.
#pragma once

#include <memory>

#include "agents/nets/actor_critic.h"
#include "agents/nets/observation_normalizer.h"
#include "agents/policy.h"

namespace lapforge::agents {

// The actor's tensors and the normaliser's: "actor.<layer>.weight" [outputs, inputs],
// "actor.<layer>.bias" [outputs], and where observations are normalised "normalizer.mean" and
// "normalizer.inverse_std" [inputs]. Fills nothing else.
Policy PolicyFromNets(const ActorCritic& nets, const ObservationNormalizer& normalizer);

// Drives by the current parameters of nets that go on learning; borrows both.
std::unique_ptr<PolicyDriver> MakePolicyDriver(DistributionKind kind, const ActorCritic* nets,
                                               const ObservationNormalizer* normalizer);

}  // namespace lapforge::agents
