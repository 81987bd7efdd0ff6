#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace berth::tests {

/// A program that runs, with its output caught. No call waits longer than 20 seconds. Killed at the
/// end if it still runs. Not thread-safe.
class ChildProcess {
 public:
  /// `words`: the path of the program and its arguments. `input` is its standard input, at most
  /// what a pipe holds (64 KiB). It gets no other environment than `environment` ("NAME=value") and
  /// the options of sanitizers.
  explicit ChildProcess(const std::vector<std::string>& words, const std::string& input = "",
                        const std::vector<std::string>& environment = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits until standard error has `text`; false where it ends or takes too long.
  bool AwaitError(const std::string& text);
  /// The same of standard output.
  bool AwaitOutput(const std::string& text);

  void Signal(int signal) const;

  pid_t pid() const { return pid_; }

  /// Waits until it ended: its exit code, 128 + the signal that ended it, or -1 where it goes on.
  int Wait();

  /// What has been read so far; everything after Wait().
  const std::string& output() const { return output_.text; }
  const std::string& error() const { return error_.text; }

 private:
  struct Stream {
    int fd = -1;
    std::string text;
  };

  bool Await(const Stream& stream, const std::string& text);
  bool ReadSome();
  static void ReadFrom(Stream& stream);

  pid_t pid_ = -1;
  Stream output_;
  Stream error_;
};

}  // namespace berth::tests
