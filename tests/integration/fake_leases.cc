#include "tests/integration/fake_leases.h"

#include <nlohmann/json.hpp>

namespace berth::tests {
namespace {

using Json = nlohmann::json;

std::string VersionOf(const std::string& lease) {
  return Json::parse(lease).at("metadata").value("resourceVersion", "");
}

}  // namespace

FakeLeases::Reply FakeLeases::Get(const std::string& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = leases_.find(key);
  if (found == leases_.end()) return {404, "NotFound"};
  return {200, found->second};
}

FakeLeases::Reply FakeLeases::Create(const std::string& key, const std::string& body) {
  const std::lock_guard guard(mutex_);
  const std::string name = Json::parse(body).at("metadata").at("name");
  if (leases_.contains(key + '/' + name)) return {409, "AlreadyExists"};
  return {201, Store(key + '/' + name, body)};
}

FakeLeases::Reply FakeLeases::Update(const std::string& key, const std::string& body) {
  const std::lock_guard guard(mutex_);
  const auto found = leases_.find(key);
  if (found == leases_.end()) return {404, "NotFound"};
  if (VersionOf(body) != VersionOf(found->second)) return {409, "Conflict"};
  return {200, Store(key, body)};
}

FakeLeases::Reply FakeLeases::Patch(const std::string& key, const std::string& body) {
  const std::lock_guard guard(mutex_);
  const auto found = leases_.find(key);
  if (found == leases_.end()) return {404, "NotFound"};
  Json object = Json::parse(found->second);
  object.merge_patch(Json::parse(body));
  return {200, Store(key, object.dump())};
}

void FakeLeases::Put(const std::string& key, const std::string& body) {
  const std::lock_guard guard(mutex_);
  Store(key, body);
}

void FakeLeases::Steal(const std::string& key, const std::string& holder) {
  const std::lock_guard guard(mutex_);
  Json lease = Json::parse(leases_.at(key));
  lease["spec"]["holderIdentity"] = holder;
  Store(key, lease.dump());
}

void FakeLeases::Delete(const std::string& key) {
  const std::lock_guard guard(mutex_);
  leases_.erase(key);
}

std::string FakeLeases::HolderOf(const std::string& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = leases_.find(key);
  if (found == leases_.end()) return "";
  return Json::parse(found->second).at("spec").value("holderIdentity", "");
}

std::string FakeLeases::Store(const std::string& key, const std::string& body) {
  Json lease = Json::parse(body);
  lease["metadata"]["resourceVersion"] = std::to_string(++version_);
  return leases_[key] = lease.dump();
}

}  // namespace berth::tests
