#include "cluster/quarantine.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace berth::cluster {
namespace {

std::uint64_t HashOfName(std::string_view full_name) {
  return absl::HashOf(absl::string_view(full_name.data(), full_name.size()));
}

}  // namespace

void Quarantine::Put(const kube::UnreadableObject& object) {
  if (object.name.empty()) return nameless_.Add();
  std::string name = kube::FullNameOf(object);
  if (records_.size() >= kMaxNames && !records_.contains(name)) return PutHash(HashOfName(name));
  if (!hashes_.empty()) hashes_.erase(HashOfName(name));
  records_.insert_or_assign(std::move(name), Record{object.error.substr(0, kMaxError), epoch_});
}

void Quarantine::PutHash(std::uint64_t hash) {
  if (hashes_.size() >= kMaxHashes && !hashes_.contains(hash)) return left_out_.Add();
  hashes_.insert_or_assign(hash, epoch_);
}

void Quarantine::Remove(std::string_view full_name) {
  const auto found = records_.find(full_name);
  if (found != records_.end()) {
    records_.erase(found);
  } else if (!hashes_.empty()) {
    hashes_.erase(HashOfName(full_name));
  }
}

void Quarantine::BeginReplace() {
  ++epoch_;
  nameless_.in_list = left_out_.in_list = 0;
}

void Quarantine::EndReplace() {
  std::erase_if(records_, [this](const auto& each) { return each.second.epoch != epoch_; });
  absl::erase_if(hashes_, [this](const auto& each) { return each.second != epoch_; });
  nameless_.now = nameless_.in_list;
  left_out_.now = left_out_.in_list;
}

}  // namespace berth::cluster
