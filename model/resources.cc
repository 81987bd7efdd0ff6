#include "model/resources.h"

#include <algorithm>
#include <limits>

namespace berth::model {
namespace {

/// Where `name` is in `entries` (const or not), or belongs.
template <typename Entries>
auto LowerBound(Entries& entries, std::string_view name) {
  return std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const Resources::Entry& entry, std::string_view value) { return entry.first < value; });
}

std::int64_t& AmountOf(std::vector<Resources::Entry>& entries, std::string_view name) {
  auto it = LowerBound(entries, name);
  if (it == entries.end() || it->first != name) it = entries.emplace(it, name, 0);
  return it->second;
}

std::int64_t SaturatingSum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  using Limits = std::numeric_limits<std::int64_t>;
  return b > 0 ? Limits::max() : Limits::min();
}

}  // namespace

std::int64_t Resources::Get(std::string_view name) const {
  const auto it = LowerBound(entries_, name);
  return it != entries_.end() && it->first == name ? it->second : 0;
}

bool Resources::Has(std::string_view name) const {
  const auto it = LowerBound(entries_, name);
  return it != entries_.end() && it->first == name;
}

void Resources::Set(std::string_view name, std::int64_t amount) {
  AmountOf(entries_, name) = amount;
}

void Resources::Add(std::string_view name, std::int64_t amount) {
  std::int64_t& sum = AmountOf(entries_, name);
  sum = SaturatingSum(sum, amount);
}

void Resources::Add(const Resources& other) {
  if (this == &other) return Add(Resources(other));
  for (const auto& [name, amount] : other) Add(name, amount);
}

}  // namespace berth::model
