#include "controller/kept_plan.h"

#include <algorithm>

#include "model/node.h"

namespace berth::controller {

namespace {

using model::KeptRoom;

// Whether both keep the same from the same pods, however long they hold.
bool KeepTheSame(const KeptRoom& first, KeptRoom second, model::Time now) {
  second.until = first.until;
  // No pod has ended by a time that is over. Where the planner lets nobody use what it keeps, that
  // time is always the present one, and no reason to write every node again and again.
  if (first.ends_by <= now && second.ends_by <= now) second.ends_by = first.ends_by;
  return first == second;
}

// Returns the entries as a node can have them, with the end of their life.
std::vector<KeptRoom> Written(std::vector<KeptRoom> rooms, model::Time until) {
  std::ranges::stable_sort(rooms, {}, [](const KeptRoom& room) { return model::PlaceOf(room); });
  if (rooms.size() > model::kMostKeptRooms) rooms.resize(model::kMostKeptRooms);
  for (KeptRoom& room : rooms) room.until = until;
  return rooms;
}

std::vector<KeptRoom> RoomsOn(const model::Node& node, std::string_view annotation) {
  const auto text = model::Find(node.annotations, annotation);
  return text ? model::ParseKeptRooms(*text) : std::vector<KeptRoom>();
}

// What the annotation of a node shall say.
struct NextText {
  std::string text;
  // Whether it only holds longer than what is there.
  bool is_renewal = false;
};

// What to write on a node of which it is not known what is kept. Nothing if all may stay.
std::optional<NextText> WithoutExpired(std::vector<KeptRoom> present, model::Time now) {
  const auto is_over = [now](const KeptRoom& room) { return room.until <= now; };
  if (std::erase_if(present, is_over) == 0) return std::nullopt;
  return NextText{model::KeptRoomsText(present)};
}

// What to write on a node of which `kept` is kept. Nothing if all may stay.
std::optional<NextText> Renewed(const std::vector<KeptRoom>& present,
                                const std::vector<KeptRoom>& kept, model::Time now,
                                model::Duration life) {
  const std::vector<KeptRoom> wanted = Written(kept, model::SaturatingAdd(now, life));
  const bool is_same =
      std::ranges::equal(present, wanted, [now](const KeptRoom& first, const KeptRoom& second) {
        return KeepTheSame(first, second, now);
      });
  const auto is_fresh = [&](const KeptRoom& room) { return room.until >= now + life / 2; };
  if (is_same && std::ranges::all_of(present, is_fresh)) return std::nullopt;
  return NextText{model::KeptRoomsText(wanted), is_same};
}

}  // namespace

std::vector<KeptChange> PlanKept(const model::ClusterView& view, std::string_view annotation,
                                 const std::optional<KeptByNode>& kept, model::Time now,
                                 model::Duration life) {
  std::vector<KeptChange> changes;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state == nullptr || state->quarantined) continue;
    const model::Node& node = state->node;
    std::optional<NextText> next;
    if (!kept) {
      next = WithoutExpired(RoomsOn(node, annotation), now);
    } else if (const auto rooms = kept->find(node.name); rooms != kept->end()) {
      next = Renewed(RoomsOn(node, annotation), rooms->second, now, life);
    } else if (model::Find(node.annotations, annotation)) {
      next = NextText{};  // It goes, even if nobody can read it.
    }
    if (next) changes.push_back({node.name, node.uid, next->text, next->is_renewal});
  }
  return changes;
}

std::size_t CountKept(const model::ClusterView& view, std::string_view annotation,
                      model::Time now) {
  std::size_t count = 0;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state == nullptr || state->node.annotations.empty()) continue;
    const std::vector<KeptRoom> rooms = RoomsOn(state->node, annotation);
    if (std::ranges::any_of(rooms, [now](const KeptRoom& room) { return now < room.until; })) {
      ++count;
    }
  }
  return count;
}

}  // namespace berth::controller
