#include "admission/templates.h"

#include <utility>

namespace berth::admission {

namespace {

using simdjson::dom::element;

// RFC 6901.
std::string Unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escapes = token[i] == '~' && i + 1 < token.size();
    text += !escapes ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return text;
}

class Finder {
 public:
  void Find(element value, std::string_view pointer, const std::string& field) {
    if (found_.size() == kMaxTemplates) return;
    if (pointer.empty()) {
      if (value.is_object()) found_.push_back({value, field});
      return;
    }
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    Step(value, Unescaped(token), pointer.substr(token.size()), field);
  }

  std::vector<FoundTemplate> Take() { return std::move(found_); }

 private:
  void Step(element value, const std::string& token, std::string_view rest,
            const std::string& field) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    if (value.get(object) == simdjson::SUCCESS) {
      for (const auto [key, member] : object) {
        if (token != "*" && key != token) continue;
        Find(member, rest, field.empty() ? std::string(key) : field + "." + std::string(key));
      }
    } else if (value.get(array) == simdjson::SUCCESS) {
      std::size_t index = 0;
      for (const element item : array) {
        const std::string place = std::to_string(index++);
        if (token == "*" || token == place) Find(item, rest, field + "[" + place + "]");
      }
    }
  }

  std::vector<FoundTemplate> found_;
};

}  // namespace

std::vector<FoundTemplate> TemplatesAt(element object, std::string_view pointer) {
  Finder finder;
  finder.Find(object, pointer, "");
  return finder.Take();
}

}  // namespace berth::admission
