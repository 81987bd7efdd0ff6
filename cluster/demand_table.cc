#include "cluster/demand_table.h"

namespace berth::cluster {

const Demand* DemandTable::Hold(Demand demand) {
  const auto found = holders_.try_emplace(std::move(demand)).first;
  ++found->second;
  return &found->first;
}

void DemandTable::Release(const Demand* demand) {
  const auto found = holders_.find(*demand);
  if (--found->second == 0) holders_.erase(found);
}

}  // namespace berth::cluster
