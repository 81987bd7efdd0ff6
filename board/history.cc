#include "board/history.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "board/json_text.h"

namespace berth::board {

namespace {

using Json = nlohmann::json;

// What one bar adds up.
struct Bar {
  std::int64_t samples = 0;
  std::array<std::int64_t, 4> sums{};
};

// Nodes may claim any number of devices.
std::int32_t InSample(std::int64_t devices) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(devices, kMost));
}

// The mean of the samples. A fraction, because a pool may have one device that is held in some of
// them.
Json Mean(std::int64_t sum, std::int64_t samples) {
  if (samples == 0) return nullptr;
  return static_cast<double>(sum) / static_cast<double>(samples);
}

// Held, planned, free and broken, each as a list; null where nothing is known.
Json JsonOfBars(const std::vector<Bar>& bars) {
  static constexpr std::array<const char*, 4> kNames = {"held", "planned", "free", "broken"};
  Json json = Json::object();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    Json values = Json::array();
    for (const Bar& bar : bars) values.push_back(Mean(bar.sums[i], bar.samples));
    json[kNames[i]] = std::move(values);
  }
  return json;
}

}  // namespace

void History::ForgetAfter(model::Time now) {
  last_ = model::kNoTime;
  for (auto& [name, samples] : samples_) {
    while (!samples.empty() && samples.back().time > now) samples.pop_back();
    if (!samples.empty()) last_ = std::max(last_, samples.back().time);
  }
}

void History::Add(model::Time now, const std::map<std::string, PoolTotals>& pools) {
  if (now < last_) ForgetAfter(now);
  if (last_ != model::kNoTime && now < last_ + kInterval) return;
  last_ = now;
  for (const auto& [name, pool] : pools) {
    samples_[name].push_back({.time = now,
                              .held = InSample(pool.held),
                              .planned = InSample(pool.planned),
                              .free = InSample(pool.free),
                              .broken = InSample(pool.broken)});
  }
  for (auto& [name, samples] : samples_) {
    while (!samples.empty() && samples.front().time <= now - kSpan) samples.pop_front();
  }
  std::erase_if(samples_, [](const auto& pool) { return pool.second.empty(); });
}

std::string History::Encode(model::Time now, model::Duration span, std::size_t bars) const {
  const model::Time begin = now - span;
  Json pools = Json::array();
  for (const auto& [name, samples] : samples_) {
    std::vector<Bar> counted(bars);
    for (const Sample& sample : samples) {
      if (sample.time <= begin || sample.time > now) continue;
      const auto offset = static_cast<std::size_t>((sample.time - begin).count() - 1);
      Bar& bar = counted[offset * bars / static_cast<std::size_t>(span.count())];
      ++bar.samples;
      bar.sums[0] += sample.held;
      bar.sums[1] += sample.planned;
      bar.sums[2] += sample.free;
      bar.sums[3] += sample.broken;
    }
    Json pool = JsonOfBars(counted);
    pool["name"] = name;
    pools.push_back(std::move(pool));
  }
  return TextOf({{"begin", begin.time_since_epoch().count()},
                 {"end", now.time_since_epoch().count()},
                 {"pools", std::move(pools)}});
}

}  // namespace berth::board
