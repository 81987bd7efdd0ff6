#include "controller/owner_keeper.h"

#include <optional>
#include <utility>

namespace berth::controller {

OwnerKeeper::OwnerKeeper(Options options, ObjectClient* client, Owner* owner,
                         WriteObserver* observer)
    : options_(std::move(options)), client_(client), owner_(owner), observer_(observer) {}

absl::Status OwnerKeeper::Pass() {
  if (options_.config_map.empty()) return absl::OkStatus();
  absl::Status status = LookForOwner();
  const std::optional<kube::OwnerReference> owner = owner_->Get();
  if (!owner) return status;
  for (const std::string& lease : options_.leases) status.Update(Adopt(lease, *owner));
  return status;
}

// If the owner was deleted, there is none: what belonged to it would be deleted at once.
absl::Status OwnerKeeper::LookForOwner() {
  const auto object = client_->Get(ConfigMapsIn(options_.namespace_name), options_.config_map);
  if (absl::IsNotFound(object.status())) {
    owner_->Set(std::nullopt);
    return absl::OkStatus();
  }
  if (!object.ok()) return object.status();
  owner_->Set(kube::OwnerReference{
      .api_version = "v1", .kind = "ConfigMap", .name = options_.config_map, .uid = object->uid()});
  return absl::OkStatus();
}

absl::Status OwnerKeeper::Adopt(const std::string& lease, const kube::OwnerReference& owner) {
  const std::string collection = LeasesIn(options_.namespace_name);
  auto object = client_->Get(collection, lease);
  if (absl::IsNotFound(object.status())) return absl::OkStatus();
  if (!object.ok()) return object.status();
  if (object->HasOwner(owner) || !options_.may_write()) return absl::OkStatus();
  object->SetOwner(owner);
  const absl::Status status = client_->Patch(collection, lease, kube::OwnersPatch(*object));
  if (!absl::IsCancelled(status)) {
    observer_->OnWritten(Write::kLeaseOwner, options_.namespace_name + "/" + lease, owner.name,
                         status);
  }
  return absl::OkStatus();
}

}  // namespace berth::controller
