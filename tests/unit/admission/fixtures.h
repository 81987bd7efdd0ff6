#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "kube/json.h"
#include "kube/json_workload.h"
#include "model/workload.h"

namespace berth::admission {

/// An object in JSON, and what is read of it.
class ParsedObject {
 public:
  ParsedObject(const std::string& text, std::string_view kind)
      : root_(parser_.Parse(text).value()),
        workload_(kube::WorkloadFromJson(root_, kind, "").value()) {}

  simdjson::dom::element root() const { return root_; }
  const model::Workload& workload() const { return workload_; }

 private:
  kube::JsonParser parser_;
  simdjson::dom::element root_;
  model::Workload workload_;
};

/// What the API server would make of the object with the patch.
inline nlohmann::ordered_json Patched(const std::string& object, const std::string& patch) {
  const auto json = nlohmann::ordered_json::parse(object);
  return patch.empty() ? json : json.patch(nlohmann::ordered_json::parse(patch));
}

/// `workload` as it is read when it was written: rules have their places.
inline model::Workload AsWritten(model::Workload workload) {
  if (!workload.job || !workload.job->failure_rules) return workload;
  std::size_t place = 0;
  for (model::FailureRule& rule : *workload.job->failure_rules) rule.written_at = place++;
  return workload;
}

}  // namespace berth::admission
