#include "admission/templates.h"

#include <algorithm>
#include <utility>

#include "admission/json_pointer.h"

namespace berth::admission {

namespace {

using simdjson::dom::element;

bool IsLikelyTemplate(element value) {
  simdjson::dom::array containers;
  return value.at_pointer("/spec/containers").get(containers) == simdjson::SUCCESS;
}

void FindLikely(element value, const std::string& pointer, std::vector<std::string>& found) {
  simdjson::dom::object object;
  simdjson::dom::array array;
  if (value.get(array) == simdjson::SUCCESS) {
    for (const element item : array) FindLikely(item, pointer + "/*", found);
  } else if (value.get(object) == simdjson::SUCCESS) {
    if (!IsLikelyTemplate(value)) {
      for (const auto [key, member] : object) {
        FindLikely(member, pointer + '/' + EscapeToken(key), found);
      }
    } else if (found.size() < kMaxTemplates && std::ranges::find(found, pointer) == found.end()) {
      found.push_back(pointer);
    }
  }
}

// The way to a value of the object.
struct Place {
  std::string field;
  std::string pointer;
  // As in FoundTemplate.
  std::size_t long_key = 0;
};

Place MemberAt(const Place& place, std::string_view key) {
  constexpr std::size_t kOfLongKey = 32;
  const bool is_long = key.size() > kMaxKey;
  const std::string name =
      is_long ? std::string(key.substr(0, kOfLongKey)) + "..." : std::string(key);
  return {.field = place.field.empty() ? name : place.field + "." + name,
          .pointer = place.pointer + "/" + EscapeToken(name),
          .long_key = is_long ? key.size() : place.long_key};
}

Place ItemAt(const Place& place, const std::string& index) {
  return {.field = place.field + "[" + index + "]",
          .pointer = place.pointer + "/" + index,
          .long_key = place.long_key};
}

class Finder {
 public:
  void Find(element value, std::string_view pointer, const Place& place) {
    if (found_.size() > kMaxTemplates) return;
    if (pointer.empty()) {
      if (value.is_object()) {
        found_.push_back({.pods = value,
                          .field = place.field,
                          .pointer = place.pointer,
                          .long_key = place.long_key});
      }
      return;
    }
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    Step(value, UnescapeToken(token), pointer.substr(token.size()), place);
  }

  std::vector<FoundTemplate> Take() { return std::move(found_); }

 private:
  void Step(element value, const std::string& token, std::string_view rest, const Place& place) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    if (value.get(object) == simdjson::SUCCESS) {
      for (const auto [key, member] : object) {
        if (token == "*" || key == token) Find(member, rest, MemberAt(place, key));
      }
    } else if (value.get(array) == simdjson::SUCCESS) {
      std::size_t index = 0;
      for (const element item : array) {
        const std::string number = std::to_string(index++);
        if (token == "*" || token == number) Find(item, rest, ItemAt(place, number));
      }
    }
  }

  std::vector<FoundTemplate> found_;
};

}  // namespace

std::vector<FoundTemplate> TemplatesAt(element object, std::string_view pointer) {
  Finder finder;
  finder.Find(object, pointer, {});
  return finder.Take();
}

std::optional<FoundTemplate> PodsOfJobs(const FoundTemplate& jobs) {
  element pods;
  const auto error = jobs.pods.at_pointer("/spec/template").get(pods);
  if (error != simdjson::SUCCESS || !pods.is_object()) return std::nullopt;
  return FoundTemplate{.pods = pods,
                       .field = jobs.field + ".spec.template",
                       .pointer = jobs.pointer + "/spec/template",
                       .jobs = jobs.pods,
                       .long_key = jobs.long_key};
}

std::vector<std::string> LikelyTemplates(element object) {
  std::vector<std::string> found;
  FindLikely(object, "", found);
  return found;
}

}  // namespace berth::admission
