#pragma once

#include <map>
#include <optional>
#include <string>

namespace berth::testing {

/// What a client may ask for.
enum class FakeRequest { kListNodes, kWatchNodes, kListPods, kWatchPods };

bool IsWatch(FakeRequest request);
bool IsPods(FakeRequest request);

/// A request as it was parsed.
struct FakeHttpRequest {
  FakeRequest kind = FakeRequest::kListNodes;
  std::string target;
  /// Unescaped.
  std::map<std::string, std::string> query;

  /// Empty where it is not given.
  std::string Get(const std::string& name) const;
};

/// Nothing where it is none that the fake API server knows.
std::optional<FakeHttpRequest> ParseFakeRequest(const std::string& head);

}  // namespace berth::testing
