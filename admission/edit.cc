#include "admission/edit.h"

#include <algorithm>
#include <utility>

#include "admission/json_pointer.h"

namespace berth::admission {

namespace {

using MaybeValue = std::optional<simdjson::dom::element>;

// Returns the last member with that name, as Go does.
MaybeValue MemberOf(simdjson::dom::element value, std::string_view name) {
  MaybeValue found;
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return found;
  for (const auto [key, member] : object) {
    if (key == name) found = member;
  }
  if (found && found->is_null()) found.reset();
  return found;
}

}  // namespace

bool Edit::Changes() const {
  const auto changes = [](const auto& entry) { return entry.second.Changes(); };
  return value_ || removed_ || IsList() || std::ranges::any_of(members_, changes) ||
         std::ranges::any_of(elements_, changes);
}

// The whole value if there was none before.
Json Edit::Whole() const {
  if (value_) return *value_;
  if (IsList()) {
    Json list = prepended_;
    for (const Json& element : appended_) list.push_back(element);
    return list;
  }
  Json object = Json::object();
  for (const auto& [key, member] : members_) {
    if (member.Changes() && !member.removed_) object[key] = member.Whole();
  }
  return object;
}

class Edit::Writer {
 public:
  void Write(const Edit& edit, const MaybeValue& value, const std::string& path) {
    if (edit.removed_) {
      if (value) Add({{"op", "remove"}, {"path", path}});
    } else if (edit.value_ || !value) {
      Add({{"op", value ? "replace" : "add"}, {"path", path}, {"value", edit.Whole()}});
    } else {
      WriteMembers(edit, *value, path);
      WriteElements(edit, *value, path);
    }
  }

  Json Take() { return std::move(patch_); }

 private:
  void Add(Json operation) { patch_.push_back(std::move(operation)); }

  void WriteMembers(const Edit& edit, simdjson::dom::element value, const std::string& path) {
    for (const auto& [key, member] : edit.members_) {
      if (member.Changes()) Write(member, MemberOf(value, key), path + "/" + EscapeToken(key));
    }
  }

  // Changes existing elements first: until something is inserted, their positions are those in the
  // value.
  void WriteElements(const Edit& edit, simdjson::dom::element value, const std::string& path) {
    auto next = edit.elements_.begin();
    std::size_t index = 0;
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return;
    for (const simdjson::dom::element element : array) {
      if (next == edit.elements_.end()) break;
      if (next->first == index) {
        if (next->second.Changes()) {
          Write(next->second, element, path + "/" + std::to_string(index));
        }
        ++next;
      }
      ++index;
    }
    for (std::size_t i = 0; i < edit.prepended_.size(); ++i) {
      Insert(path + "/" + std::to_string(i), edit.prepended_[i]);
    }
    for (const Json& element : edit.appended_) Insert(path + "/-", element);
  }

  void Insert(const std::string& path, const Json& value) {
    Add({{"op", "add"}, {"path", path}, {"value", value}});
  }

  Json patch_ = Json::array();
};

Json PatchOf(const Edit& edit, simdjson::dom::element root) {
  Edit::Writer writer;
  if (edit.Changes()) writer.Write(edit, root, "");
  return writer.Take();
}

}  // namespace berth::admission
