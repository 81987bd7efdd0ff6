#include "process/lease_reader.h"

#include <utility>

#include "server/log.h"

namespace berth::process {

LeaseReader::LeaseReader(kube::ApiConfig api, std::string namespace_name, std::string name)
    : full_name_(namespace_name + '/' + name),
      lease_(std::make_shared<extender::ControllerLease>()),
      client_(std::move(api)),
      store_(&client_, std::move(namespace_name), std::move(name)) {}

LeaseReader::~LeaseReader() { Stop(); }

void LeaseReader::Start() {
  thread_ = std::thread([this] { Run(); });
}

void LeaseReader::Stop() {
  timer_.Stop();
  client_.Stop();
  if (thread_.joinable()) thread_.join();
}

void LeaseReader::Run() {
  do {
    Read();
  } while (timer_.Wait(kInterval));
}

void LeaseReader::Read() {
  const absl::StatusOr<kube::Lease> lease = store_.Get();
  if (lease.ok()) lease_->OnRead(lease->record, timer_.Now());
  if (!absl::IsCancelled(lease.status())) Report(lease.status());
}

void LeaseReader::Report(const absl::Status& status) {
  const bool readable = status.ok();
  if (readable == std::exchange(readable_, readable)) return;
  if (readable) {
    return server::Log(server::LogLevel::kInfo, "the controller's Lease can be read",
                       {{"lease", full_name_}});
  }
  server::Log(server::LogLevel::kWarning,
              "the controller's Lease cannot be read; kube-scheduler may evict pods although a "
              "node outside its sample fits",
              {{"lease", full_name_}, {"error", std::string(status.message())}});
}

}  // namespace berth::process
