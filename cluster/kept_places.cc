#include "cluster/kept_places.h"

#include <iterator>

#include "model/annotation.h"

namespace berth::cluster {

std::optional<model::PlanningPlace> KeptPlaces::LastUpTo(const model::PlanningPlace& place) const {
  const auto after = counts_.upper_bound(place);
  if (after == counts_.begin()) return std::nullopt;
  return std::prev(after)->first;
}

void KeptPlaces::Count(const model::StringMap& annotations, int step) {
  for (const auto& [name, text] : annotations) {
    if (!model::kKeptAnnotation.IsNameOf(name)) continue;
    for (const model::KeptRoom& room : model::ParseKeptRooms(text)) {
      const auto count = counts_.try_emplace(PlaceOf(room)).first;
      count->second += static_cast<std::size_t>(step);
      if (count->second == 0) counts_.erase(count);
    }
  }
}

}  // namespace berth::cluster
