#include "kube/exec_credentials.h"

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace berth::kube {
namespace {

model::Time TimeOfDay() {
  return std::chrono::time_point_cast<model::Duration>(std::chrono::system_clock::now());
}

}  // namespace

ExecCredentials::ExecCredentials(ExecPlugin plugin, Clock now)
    : plugin_(std::move(plugin)), now_(now ? std::move(now) : TimeOfDay) {}

absl::StatusOr<ExecCredential> ExecCredentials::Get(const std::function<bool()>& stopped) {
  const std::lock_guard lock(mutex_);
  const bool has_expired =
      current_ && current_->expires != model::kNoTime && current_->expires <= now_();
  if (current_ && !has_expired) return *current_;
  current_.reset();
  const auto answer = RunExecPlugin(plugin_, stopped);
  if (!answer.ok()) return answer.status();
  auto credential = ReadExecCredential(*answer, plugin_.api_version);
  if (!credential.ok()) {
    return absl::UnavailableError(fmt::format("exec plugin {}: {}", plugin_.command,
                                              std::string(credential.status().message())));
  }
  current_ = *credential;
  return credential;
}

void ExecCredentials::Refuse(const ExecCredential& credential) {
  const std::lock_guard lock(mutex_);
  if (current_ == credential) current_.reset();
}

}  // namespace berth::kube
