#pragma once

#include <cstdint>
#include <string>

#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::simulation {

using Revision = std::uint64_t;

/// What is odd about the bytes of an object that the API server keeps. Nobody mends them.
enum class Oddity {
  kNone,
  kTimes,     // those that nobody has set are of the year 1, east of Greenwich
  kQuantity,  // an amount is no quantity; of a Service: broken bytes
  kBytes,     // they break off after the metadata
  kNameless,  // they break off before its name
};

/// Whether it cannot be read.
inline bool IsUnreadable(Oddity oddity) {
  return oddity == Oddity::kQuantity || oddity == Oddity::kBytes || oddity == Oddity::kNameless;
}

/// The bare message.
std::string Encode(const model::Node& node, Revision revision, Oddity oddity);
std::string Encode(const model::Pod& pod, Revision revision, Oddity oddity);
std::string Encode(const model::Service& service, Revision revision, Oddity oddity);

}  // namespace berth::simulation
