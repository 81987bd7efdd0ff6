#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

/// Replaces percent escapes, "%40" by "@" (RFC 3986, 2.1). Returns nullopt if a '%' is not followed
/// by two hexadecimal digits. A '+' stays a plus sign; for the blank that it is in a query of a
/// form, replace it before.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace berth::kube
