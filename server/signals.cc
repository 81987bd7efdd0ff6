#include "server/signals.h"

namespace berth::server {

ShutdownSignals::ShutdownSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, &former_);
}

ShutdownSignals::~ShutdownSignals() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

int ShutdownSignals::Wait() {
  int signal = 0;
  sigwait(&signals_, &signal);
  UnblockSignals();
  return signal;
}

std::optional<int> ShutdownSignals::WaitFor(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const std::chrono::nanoseconds rest = time - seconds;
  const timespec limit{static_cast<time_t>(seconds.count()), static_cast<long>(rest.count())};
  const int signal = sigtimedwait(&signals_, nullptr, &limit);
  if (signal < 0) return std::nullopt;
  UnblockSignals();
  return signal;
}

void ShutdownSignals::UnblockSignals() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

}  // namespace berth::server
