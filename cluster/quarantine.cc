#include "cluster/quarantine.h"

#include <algorithm>
#include <utility>

namespace berth::cluster {

void Quarantine::Put(const kube::UnreadableObject& object) {
  const auto count = [](Count& of) { of.now = std::max(of.now, ++of.in_list); };
  if (object.name.empty()) return count(nameless_);
  std::string name = kube::FullNameOf(object);
  if (records_.size() >= kMaxNames && !records_.contains(name)) return count(left_out_);
  records_.insert_or_assign(std::move(name), Record{object.error.substr(0, kMaxError), epoch_});
}

void Quarantine::Remove(std::string_view full_name) {
  const auto found = records_.find(full_name);
  if (found != records_.end()) records_.erase(found);
}

void Quarantine::BeginReplace() {
  ++epoch_;
  nameless_.in_list = left_out_.in_list = 0;
}

void Quarantine::EndReplace() {
  std::erase_if(records_, [this](const auto& each) { return each.second.epoch != epoch_; });
  nameless_.now = nameless_.in_list;
  left_out_.now = left_out_.in_list;
}

}  // namespace berth::cluster
