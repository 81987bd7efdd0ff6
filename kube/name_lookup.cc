#include "kube/name_lookup.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace berth::kube {
namespace {

using Addresses = absl::StatusOr<std::vector<std::string>>;

std::string Numeric(const addrinfo& info) {
  char text[NI_MAXHOST] = "";
  getnameinfo(info.ai_addr, info.ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

Addresses AskSystem(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(fmt::format("no address of {}: {}", host, gai_strerror(error)));
  }
  std::vector<std::string> addresses;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    addresses.push_back(Numeric(*info));
  }
  freeaddrinfo(found);
  return addresses;
}

// On a thread of its own, an exception would end the process.
Addresses AskSafely(const NameLookup::Ask& ask, const std::string& host) {
  try {
    return ask(host);
  } catch (const std::exception& error) {
    return absl::UnavailableError(fmt::format("no address of {}: {}", host, error.what()));
  }
}

}  // namespace

bool IsIpLiteral(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

struct NameLookup::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  std::uint64_t asked = 0;  // answers to earlier questions are dropped
  std::optional<Addresses> answer;
};

NameLookup::NameLookup(Ask ask)
    : ask_(ask ? std::move(ask) : AskSystem), state_(std::make_shared<State>()) {}

absl::StatusOr<std::vector<std::string>> NameLookup::Resolve(const std::string& host,
                                                             std::chrono::milliseconds timeout) {
  std::unique_lock lock(state_->mutex);
  if (state_->stopped) return absl::CancelledError("stopped");
  if (IsIpLiteral(host)) return std::vector<std::string>{host};
  state_->answer.reset();
  const std::uint64_t question = ++state_->asked;
  // Throws std::system_error if the system has no thread now.
  std::thread([state = state_, ask = ask_, host, question] {
    Addresses answer = AskSafely(ask, host);
    const std::lock_guard guard(state->mutex);
    if (state->asked == question) state->answer = std::move(answer);
    state->changed.notify_all();
  }).detach();
  state_->changed.wait_for(lock, timeout, [this] { return state_->stopped || state_->answer; });
  if (state_->stopped) return absl::CancelledError("stopped");
  if (state_->answer) return *std::move(state_->answer);
  ++state_->asked;
  return absl::DeadlineExceededError(
      fmt::format("the lookup of the address of {} took too long", host));
}

void NameLookup::Stop() {
  const std::lock_guard guard(state_->mutex);
  state_->stopped = true;
  state_->changed.notify_all();
}

}  // namespace berth::kube
