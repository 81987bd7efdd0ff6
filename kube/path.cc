#include "kube/path.h"

#include "absl/strings/escaping.h"
#include "fmt/format.h"

namespace berth::kube {

std::string Path::ToString() const {
  const std::string prefix = parent_ == nullptr ? "" : parent_->ToString();
  switch (kind_) {
    case Kind::kRoot:
      return std::string(name_);
    case Kind::kField:
      return prefix.empty() ? std::string(name_) : fmt::format("{}.{}", prefix, name_);
    case Kind::kKey:
      return fmt::format("{}[{}]", prefix, Quoted(name_));
    case Kind::kIndex:
      return fmt::format("{}[{}]", prefix, index_);
  }
  return prefix;
}

absl::Status Path::Error(std::string_view what) const {
  const std::string path = ToString();
  return absl::InvalidArgumentError(fmt::format("{}{}{}", path, path.empty() ? "" : ": ", what));
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const std::string shown = absl::CHexEscape(std::string(text.substr(0, kShown)));
  return fmt::format("\"{}{}\"", shown, text.size() > kShown ? "..." : "");
}

}  // namespace berth::kube
