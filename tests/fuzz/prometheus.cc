// What Prometheus answers to a query, and what it says of one that it refuses.
#include "usage/prometheus.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/field_values.h"
#include "model/node.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/usage/fake_prometheus.h"
#include "usage/config.h"
#include "usage/utilization.h"

namespace {

using namespace berth;

void CheckSample(const usage::Sample& sample) {
  fuzz::Require(!std::isnan(sample.value), "a sample has a value");
  const model::StringMap& labels = sample.labels;
  const auto descends = [](const auto& one, const auto& next) { return one.first >= next.first; };
  fuzz::Require(std::adjacent_find(labels.begin(), labels.end(), descends) == labels.end(),
                "labels ascend, each of them once");
  for (const auto& [name, value] : labels) {
    fuzz::Require(sample.Label(name) == value, "a label is found by its name");
  }
}

/// What is made of the samples, whatever they are.
void CheckUse(std::string_view body) {
  usage::FakePrometheus fake;
  fake.answers.emplace_back("", std::string(body));
  const auto prometheus = usage::ClientOf(fake);
  const usage::UtilizationConfig config;
  const auto pods = usage::Measure(*prometheus, config, std::chrono::hours(2));
  fuzz::Require(pods.ok(), "what is read is measured");
  for (const auto& [pod, devices] : *pods) {
    fuzz::Require(!devices.empty(), "a pod that was measured has devices");
    for (const usage::MeasuredDevice& device : devices) {
      fuzz::Require(device.coverage <= 1, "no window is longer than itself");
    }
  }
  const auto last = usage::AskLastUse(*prometheus, config, 5, std::chrono::hours(2));
  fuzz::Require(last.ok(), "what is read may be a time");
  for (const auto& [pod, time] : *last) {
    fuzz::Require(kube::TimeFromSeconds(time.time_since_epoch().count()) == time,
                  "a time is one that can be written");
  }
}

void CheckAnswer(std::string_view body) {
  const auto samples = usage::SamplesFromJson(body);
  fuzz::RequireSentence(samples.status());
  if (!samples.ok()) return;
  for (const usage::Sample& sample : *samples) CheckSample(sample);
  CheckUse(body);
}

void CheckRefusal(std::string_view body) {
  usage::FakePrometheus fake;
  fake.status = 422;
  fake.refusal = body;
  const absl::Status refused = usage::ClientOf(fake)->Query("up").status();
  fuzz::Require(!refused.ok(), "a refusal is none but an error");
  fuzz::RequireSentence(refused);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CheckAnswer(fuzz::TextOf(data, size));
  CheckRefusal(fuzz::TextOf(data, size));
  return 0;
}
