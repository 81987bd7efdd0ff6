#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/verdict.h"

// What a probe asks may never answer: nvidia-smi when the driver hangs, statfs() when an NFS server
// is away, /proc/PID of a process that hangs itself. Whoever waits for such a call in the kernel
// (state D) cannot be killed. Node-problem-detector waits until nobody holds the pipe of a plugin's
// output any more (https://github.com/kubernetes/node-problem-detector/issues/1050), so a plugin
// that hangs, or leaves somebody behind who does, stops that condition for ever.
//
// Therefore a probe looks in a child that has none of the plugin's descriptors, and the plugin does
// not wait for it beyond a timeout. A child that cannot be killed keeps a file locked. While it is
// locked no further child is started for it, so that at most one hangs for each file.

namespace berth::probe {

/// Tells the parent what the child is about to do, so that it can be named when it hangs. Lives in
/// memory that both share.
class Progress {
 public:
  /// `what` is like "statfs /data". What is longer than 95 bytes is cut.
  void Doing(std::string_view what);
  std::string doing() const;

 private:
  std::array<char, 96> doing_{};
};

struct GuardOptions {
  /// File that a run keeps locked; made if it is missing, its folder too. It has to be on a file
  /// system in memory that is empty after a reboot, such as /run.
  std::string lock_file;
  /// How long the child may take. Another run that has the file locked is waited for twice as long.
  std::chrono::milliseconds timeout;
};

/// How a guarded call has ended.
struct Guarded {
  enum class Ending {
    /// `verdict` is that of the function.
    kAnswered,
    /// The child hangs, or that of another run does; `detail` says in what.
    kHung,
    /// The child could not be started or has ended without an answer, or another run was still
    /// going on after the timeout; `detail` says so.
    kFailed
  };
  Ending ending = Ending::kFailed;
  Verdict verdict;
  std::string detail;
};

/// Calls `look` in a child and returns its answer. The child has a session of its own, nothing open
/// but the lock and /dev/null, and is killed with all of its own children when it takes longer than
/// the timeout, or when this process ends. Only for processes with one thread: the child goes on
/// with a copy of this process.
Guarded RunGuarded(const GuardOptions& options,
                   const std::function<Verdict(Progress& progress)>& look);

/// What a program has written and how it has ended.
struct ProgramResult {
  /// 127: it could not be started, and `output` says why. Above 128: 128 and the signal.
  int exit_code = 0;
  /// Both standard output and standard error, at most 1 MiB.
  std::string output;
};

/// Runs a program, found in PATH unless `arguments[0]` has a slash, and waits until it has ended;
/// only for use within RunGuarded(). Its output goes to a file in memory. `root` is the folder that
/// it sees as /, or empty.
ProgramResult RunProgram(const std::vector<std::string>& arguments, const std::string& root);

}  // namespace berth::probe
