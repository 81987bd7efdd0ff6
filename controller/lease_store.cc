#include "controller/lease_store.h"

#include <optional>
#include <utility>

#include "kube/json_call.h"

namespace berth::controller {

ApiLeaseStore::ApiLeaseStore(kube::Transport* transport, std::string namespace_name,
                             std::string name, const Owner* owner)
    : transport_(transport),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      collection_("/apis/coordination.k8s.io/v1/namespaces/" + namespace_ + "/leases"),
      owner_(owner) {}

absl::StatusOr<kube::Lease> ApiLeaseStore::Get() {
  return Call(kube::HttpMethod::kGet, collection_ + "/" + name_, "");
}

absl::StatusOr<kube::Lease> ApiLeaseStore::Create(const kube::LeaseRecord& record) {
  return Call(kube::HttpMethod::kPost, collection_,
              kube::NewLeaseToJson(namespace_, name_, record));
}

absl::StatusOr<kube::Lease> ApiLeaseStore::Update(const kube::Lease& lease) {
  kube::Lease owned = lease;
  const auto owner = owner_ == nullptr ? std::nullopt : owner_->Get();
  if (owner) owned.metadata = kube::WithOwner(owned.metadata, *owner);
  return Call(kube::HttpMethod::kPut, collection_ + "/" + name_, kube::LeaseToJson(owned));
}

absl::StatusOr<kube::Lease> ApiLeaseStore::Call(kube::HttpMethod method, const std::string& target,
                                                std::string body) {
  const absl::StatusOr<std::string> reply =
      kube::CallJson(*transport_, method, target, std::move(body));
  if (!reply.ok()) return reply.status();
  return kube::LeaseFromJson(*reply);
}

}  // namespace berth::controller
