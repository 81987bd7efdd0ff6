#include "kube/backoff.h"

#include <algorithm>

namespace berth::kube {

std::chrono::milliseconds Backoff::Next() {
  std::uniform_int_distribution<std::int64_t> spread(whole_.count() / 2, whole_.count());
  whole_ = std::min(whole_ * 2, longest_);
  return std::chrono::milliseconds(spread(random_));
}

}  // namespace berth::kube
