#include <string>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "kube/json.h"
#include "kube/json_text.h"

namespace berth::kube {
namespace {

constexpr std::string_view kJsonSpace = " \t\r\n";

// A text that is cut off may end within a character of UTF-8, too.
bool MayBeCutOff(simdjson::error_code error) {
  return error != simdjson::DEPTH_ERROR && error != simdjson::NUMBER_ERROR &&
         error != simdjson::CAPACITY;
}

std::string Sentence(simdjson::error_code error, std::string_view text) {
  if (MayBeCutOff(error) && EndsEarly(text)) {
    return "the text is not JSON: it ends early, within an object or an array";
  }
  switch (error) {
    case simdjson::DEPTH_ERROR:
      return fmt::format("the JSON nests more than {} objects and arrays within each other",
                         JsonParser::kMaxDepth);
    case simdjson::UTF8_ERROR:
      return "the text is not UTF-8";
    case simdjson::NUMBER_ERROR:
      return "the text is not JSON, or has an integer that does not fit 64 bits; write large "
             "quantities as strings, such as \"1e30\"";
    case simdjson::CAPACITY:
      return "the text is larger than 4 GiB";
    default:
      return fmt::format("the text is not JSON: {}", simdjson::error_message(error));
  }
}

}  // namespace

absl::StatusOr<simdjson::dom::element> JsonParser::Parse(std::string_view text) {
  if (text.find_first_not_of(kJsonSpace) == std::string_view::npos) {
    return absl::InvalidArgumentError("the text is empty; expected JSON");
  }
  if (HasMoreValues(text, most_values_)) {
    return absl::InvalidArgumentError(fmt::format(
        "the JSON has more than the {} members and items that Berth reads", most_values_));
  }
  simdjson::error_code error = simdjson::SUCCESS;
  if (text.size() > parser_.capacity()) error = parser_.allocate(text.size(), kMaxDepth);
  simdjson::dom::element root;
  if (error == simdjson::SUCCESS) error = parser_.parse(text.data(), text.size()).get(root);
  if (error != simdjson::SUCCESS) return absl::InvalidArgumentError(Sentence(error, text));
  return root;
}

}  // namespace berth::kube
