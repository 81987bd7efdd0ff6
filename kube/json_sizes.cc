#include "kube/json_sizes.h"

#include <algorithm>

#include "fmt/format.h"
#include "kube/path.h"

namespace berth::kube {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kContainerLists[] = {"containers", "initContainers",
                                                "ephemeralContainers"};
// Written by the API server, with one member for each field. No decision depends on it.
constexpr std::string_view kLeftOut = "managedFields";

bool IsContainerList(std::string_view name) {
  return std::ranges::find(kContainerLists, name) != std::end(kContainerLists);
}

class SizeCheck {
 public:
  void Visit(dom::element value, const Path& path) {
    if (!error_.ok()) return;
    dom::array items;
    dom::object members;
    if (value.get(items) == simdjson::SUCCESS) VisitItems(items, path);
    if (value.get(members) == simdjson::SUCCESS) VisitMembers(members, path);
  }

  absl::Status Finish(const Path& root) {
    if (error_.ok() && values_ > kMaxObjectValues) {
      error_ = root.Error(
          fmt::format("has {} members and items altogether, more than the {} that Berth reads",
                      values_, kMaxObjectValues));
    }
    return error_;
  }

 private:
  void VisitItems(dom::array items, const Path& path) {
    Count(items.size(), path);
    std::size_t index = 0;
    for (const dom::element item : items) Visit(item, path[index++]);
  }

  void VisitMembers(dom::object members, const Path& path) {
    Count(members.size(), path);
    std::size_t containers = 0;
    for (const auto [name, member] : members) {
      if (name == kLeftOut) continue;
      const Path field = path.Field(name);
      if (IsContainerList(name)) CountContainers(member, containers, field);
      Visit(member, field);
    }
  }

  void Count(std::size_t entries, const Path& path) {
    values_ += entries;
    Check(entries, kMaxEntries, "entries", path);
  }

  void CountContainers(dom::element list, std::size_t& containers, const Path& path) {
    dom::array items;
    if (list.get(items) == simdjson::SUCCESS) containers += items.size();
    Check(containers, kMaxContainers, "containers, init and ephemeral ones included", path);
  }

  void Check(std::size_t count, std::size_t most, std::string_view what, const Path& path) {
    if (count <= most) return;
    error_.Update(
        path.Error(fmt::format("has {} {}, more than the {} that Berth reads", count, what, most)));
  }

  absl::Status error_;
  std::size_t values_ = 0;
};

}  // namespace

absl::Status CheckSizes(simdjson::dom::element object, std::string_view path) {
  const Path root(path);
  SizeCheck check;
  check.Visit(object, root);
  return check.Finish(Path(path.empty() ? "the object" : path));
}

}  // namespace berth::kube
