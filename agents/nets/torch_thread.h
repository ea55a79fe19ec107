// How our threads use libtorch: each computes alone.
#pragma once

namespace lapforge::agents {

// OpenMP's number of threads belongs to the thread that asks: each one of ours must say so itself
// before it calls libtorch.
void UseOneTorchThread();

}  // namespace lapforge::agents
