#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "policies/admission/engine.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {

/// Settings of which only these policies are on.
template <typename... Policies>
AdmissionConfig Only(Mode mode = Mode::kEnforce) {
  AdmissionConfig config;
  std::apply([](auto&... settings) { ((settings.mode = Mode::kOff), ...); }, config.policies.all);
  ((std::get<PolicySettings<Policies>>(config.policies.all).mode = mode), ...);
  return config;
}

inline std::unique_ptr<const AdmissionEngine> MakeEngine(const AdmissionConfig& config,
                                                         std::string prefix = Prefix()) {
  // The engine wants to share the catalogue; this one outlives every engine.
  const std::shared_ptr<const model::AcceleratorCatalog> catalog(std::shared_ptr<void>(),
                                                                 &Catalog());
  return std::make_unique<const AdmissionEngine>(catalog, std::move(prefix), "1.2.3", config);
}

inline Request In(Mode mode) {
  Request request = MakeRequest();
  request.mode = mode;
  return request;
}

/// Names a model that there is not.
inline model::Workload Wrong(model::Workload workload = GpuPod()) {
  return Annotated(std::move(workload), "accelerators", "K80");
}

}  // namespace berth::policies::admission
