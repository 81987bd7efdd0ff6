#include "model/resources.h"

#include <algorithm>

#include "model/saturating.h"

namespace berth::model {

const std::int64_t* Resources::Find(std::string_view name) const {
  // A linear search: there are few names, and those of another length differ without being read.
  for (const Entry& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

std::int64_t Resources::Get(std::string_view name) const {
  const std::int64_t* amount = Find(name);
  return amount == nullptr ? 0 : *amount;
}

std::int64_t& Resources::AmountOf(std::string_view name) {
  auto it = std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const Entry& entry, std::string_view value) { return entry.first < value; });
  if (it == entries_.end() || it->first != name) it = entries_.emplace(it, name, 0);
  return it->second;
}

void Resources::Set(std::string_view name, std::int64_t amount) { AmountOf(name) = amount; }

void Resources::Add(std::string_view name, std::int64_t amount) {
  std::int64_t& sum = AmountOf(name);
  sum = SaturatingAdd(sum, amount);
}

void Resources::Add(const Resources& other) {
  if (this == &other) return Add(Resources(other));
  for (const auto& [name, amount] : other) Add(name, amount);
}

}  // namespace berth::model
