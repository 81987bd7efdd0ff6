#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "server/file_watch.h"
#include "server/tls.h"

namespace berth::server {

struct TlsCertificatesOptions {
  TlsFiles files;
  FileWatchOptions watch;
  /// Called on the watching thread after each try to load changed files: OK, or why the former
  /// ones still serve (said once for each different reason). May be empty.
  std::function<void(const absl::Status&)> on_reload;
};

/// A server's certificate that follows its files. Connections made after a change use the new
/// files, live ones end with what they began with; files that do not make a valid pair are reported
/// and change nothing. Thread-safe.
class TlsCertificates {
 public:
  /// Fails when the files do not make a valid pair now.
  static absl::StatusOr<std::shared_ptr<const TlsCertificates>> Open(
      TlsCertificatesOptions options);

  TlsCertificates(const TlsCertificates&) = delete;
  TlsCertificates& operator=(const TlsCertificates&) = delete;

  /// What the next connection is made from; never null.
  std::shared_ptr<ssl_ctx_st> Current() const;

  /// The texts that it was made from, for servers that make contexts themselves; never null, and
  /// the same object until they change.
  std::shared_ptr<const TlsPem> Pem() const;

  /// Until the certificate in use ends; negative afterwards.
  std::chrono::duration<double> TimeLeft() const;

  /// How often changed files were taken over since Open.
  std::uint64_t reloads() const { return reloads_; }
  /// How often changed files were found broken, as on_reload tells it.
  std::uint64_t reload_failures() const { return reload_failures_; }

 private:
  TlsCertificates(TlsCertificatesOptions options, TlsPem pem, TlsContext context);

  void Reload();
  absl::Status TryReload();

  const TlsCertificatesOptions options_;
  std::string last_error_;  // of the watching thread alone

  // Written by the watching thread alone.
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsPem> pem_;
  TlsContext context_;
  std::atomic<std::uint64_t> reloads_ = 0;
  std::atomic<std::uint64_t> reload_failures_ = 0;
  // Last: its thread uses everything above.
  FileWatch watch_;
};

}  // namespace berth::server
