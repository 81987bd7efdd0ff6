#include "server/tls_certificates.h"

#include <absl/status/status.h>

#include <exception>
#include <utility>
#include <vector>

namespace berth::server {
namespace {

std::vector<std::string> Watched(const TlsFiles& files) {
  std::vector<std::string> watched{files.certificate, files.key};
  if (!files.client_ca.empty()) watched.push_back(files.client_ca);
  return watched;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsCertificates>> TlsCertificates::Open(
    TlsCertificatesOptions options) {
  auto pem = ReadTlsFiles(options.files);
  if (!pem.ok()) return pem.status();
  auto context = BuildTlsContext(options.files, *pem);
  if (!context.ok()) return context.status();
  try {
    return std::shared_ptr<const TlsCertificates>(
        new TlsCertificates(std::move(options), *std::move(pem), *std::move(context)));
  } catch (const std::exception& error) {
    return absl::UnavailableError(std::string("cannot watch the certificate: ") + error.what());
  }
}

TlsCertificates::TlsCertificates(TlsCertificatesOptions options, TlsPem pem, TlsContext context)
    : options_(std::move(options)),
      pem_(std::make_shared<const TlsPem>(std::move(pem))),
      context_(std::move(context)),
      watch_(Watched(options_.files), options_.watch, [this] { Reload(); }) {}

std::shared_ptr<ssl_ctx_st> TlsCertificates::Current() const {
  const std::lock_guard lock(mutex_);
  return context_.handle;
}

std::shared_ptr<const TlsPem> TlsCertificates::Pem() const {
  const std::lock_guard lock(mutex_);
  return pem_;
}

std::chrono::duration<double> TlsCertificates::TimeLeft() const {
  const std::lock_guard lock(mutex_);
  return context_.not_after - std::chrono::system_clock::now();
}

void TlsCertificates::Reload() {
  const std::uint64_t before = reloads_;
  const absl::Status status = TryReload();
  const std::string error = status.ok() ? "" : status.ToString();
  const bool news = status.ok() ? reloads_ != before : error != last_error_;
  last_error_ = error;
  if (!news) return;
  if (!status.ok()) ++reload_failures_;
  if (options_.on_reload) options_.on_reload(status);
}

absl::Status TlsCertificates::TryReload() {
  auto pem = ReadTlsFiles(options_.files);
  if (!pem.ok()) return pem.status();
  if (*pem == *Pem()) return absl::OkStatus();
  auto context = BuildTlsContext(options_.files, *pem);
  if (!context.ok()) return context.status();
  auto loaded = std::make_shared<const TlsPem>(*std::move(pem));
  {
    const std::lock_guard lock(mutex_);
    pem_.swap(loaded);
    std::swap(context_, *context);
  }
  ++reloads_;
  return absl::OkStatus();
}

}  // namespace berth::server
