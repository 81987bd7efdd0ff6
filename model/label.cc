#include "model/label.h"

#include "re2/re2.h"

namespace berth::model {
namespace {

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kMaxDomain = 253;
// A quota names the resource with this prefix, and the result must be a qualified name, too.
constexpr std::string_view kQuotaPrefix = "requests.";

}  // namespace

bool IsDnsSubdomain(std::string_view text) {
  constexpr char kLabels[] = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
  static const re2::RE2 pattern(kLabels);
  return text.size() <= kMaxDomain && re2::RE2::FullMatch(text, pattern);
}

bool IsDnsLabel(std::string_view text) {
  return text.size() <= kMaxName && IsDnsSubdomain(text) &&
         text.find('.') == std::string_view::npos;
}

bool IsLabelValue(std::string_view text) {
  static const re2::RE2 pattern("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
  return text.size() <= kMaxName && re2::RE2::FullMatch(text, pattern);
}

bool IsQualifiedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsLabelValue(text);
  return IsDnsSubdomain(text.substr(0, slash)) && IsLabelValue(text.substr(slash + 1));
}

bool IsExtendedResourceName(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash + kQuotaPrefix.size() <= kMaxDomain &&
         !text.starts_with(kQuotaPrefix) && text.find("kubernetes.io/") == std::string_view::npos &&
         IsQualifiedName(text);
}

}  // namespace berth::model
