#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kube/api_object.h"
#include "kube/transport.h"

namespace berth::controller {

/// An API server of objects by name, in memory: a write has to name the version that it changes.
class FakeApi final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    requests.push_back(std::string(kube::NameOf(request.method)) + " " + request.target);
    const auto status = failures.find(requests.back());
    std::string body;
    const int code = status != failures.end() ? status->second : Answer(request, body);
    absl::Status result = sink.OnHead({.status = code, .content_type = "application/json"});
    if (result.ok()) result = sink.OnBody(code < 300 ? body : R"({"message":"refused"})");
    if (after) after();
    return result;
  }
  void Stop() override {}

  /// As somebody with kubectl would.
  void Put(const std::string& target, nlohmann::json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    objects[target] = std::move(object);
  }

  std::optional<kube::ApiObject> Get(const std::string& target) const {
    const auto found = objects.find(target);
    if (found == objects.end()) return std::nullopt;
    return kube::ApiObject::Parse(found->second.dump()).value();
  }

  /// Requests that are no GET since the last call.
  std::vector<std::string> TakeWrites() {
    std::vector<std::string> writes;
    for (const std::string& each : requests) {
      if (!each.starts_with("GET ")) writes.push_back(each);
    }
    requests.clear();
    return writes;
  }

  std::map<std::string, nlohmann::json> objects;
  /// "PUT /api/v1/...": the status that it gets instead.
  std::map<std::string, int> failures;
  std::vector<std::string> requests;
  /// Called after each answer.
  std::function<void()> after;

 private:
  int Answer(const kube::HttpRequest& request, std::string& body) {
    const bool create = request.method == kube::HttpMethod::kPost;
    nlohmann::json written = nlohmann::json::parse(request.body, nullptr, false);
    const std::string target =
        create ? request.target + "/" + written["metadata"]["name"].get<std::string>()
               : request.target;
    const auto found = objects.find(target);
    if (create && found != objects.end()) return 409;
    if (!create && found == objects.end()) return 404;
    if (request.method == kube::HttpMethod::kPut &&
        written["metadata"]["resourceVersion"] != found->second["metadata"]["resourceVersion"]) {
      return 409;
    }
    if (request.method == kube::HttpMethod::kPatch) {
      nlohmann::json patched = found->second;
      patched.merge_patch(written);
      written = patched;
    }
    if (request.method != kube::HttpMethod::kGet) Put(target, std::move(written));
    body = objects[target].dump();
    return 200;
  }

  int version_ = 0;
};

}  // namespace berth::controller
