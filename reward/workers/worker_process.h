// One worker process as the program sees it: started, asked, waited for, and ended in any case.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reward/workers/worker_block.h"
#include "reward/workers/worker_setup.h"
#include "sim/base/file_io.h"
#include "sim/base/result.h"

namespace lapforge::reward {

/// Why a worker is ended before its time.
enum class LossCause { kItself, kTimeout, kStop };

/// A child process in a group of its own, so that Ctrl-C stays the program's. It ends with this
/// object, with all processes that it began, and a second after the program at the latest.
class WorkerProcess {
 public:
  /// Runs `command`, whose main is RunRewardWorker, and waits until it has loaded the user's file.
  /// `block` is borrowed. Errors: those of the file; it takes too long; the system's; a stop was
  /// asked for.
  static Result<std::unique_ptr<WorkerProcess>> Start(const std::vector<std::string>& command,
                                                      const WorkerSetup& setup,
                                                      const SharedBlock& block,
                                                      double load_timeout_s);
  ~WorkerProcess();

  /// Lets it work on the request that is written in the block. False: it has gone.
  bool Ask();
  /// Readable when it has answered or gone.
  int socket() const { return socket_.get(); }
  /// Takes the answer. False: it has gone instead.
  bool TakeAnswer();

  /// Ends it at once. One line: the place in the user's file where it was, if that can be known,
  /// and what happened there.
  std::string EndAndDescribe(LossCause cause, const std::string& what);

 private:
  WorkerProcess(const WorkerSetup& setup) : path_(setup.path), source_(setup.source) {}

  Result<void> Spawn(const std::vector<std::string>& command, const SharedBlock& block);
  Result<void> WaitForLoad(const WorkerSetup& setup, double timeout_s);
  void Reap();

  std::string path_;    // of the user's file
  std::string source_;  // its lines
  FileDescriptor socket_;
  FileDescriptor trace_;  // written by a worker that dies
  pid_t pid_ = -1;
};

}  // namespace lapforge::reward
