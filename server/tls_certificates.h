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

/// Which files to follow, and how.
struct TlsCertificatesOptions {
  /// Read by Open(), and again after each change.
  TlsFiles files;
  /// How soon a change is noticed.
  FileWatchOptions watch;
  /// Called on the watching thread: with OK after changed files were taken over, with an error if
  /// changed files cannot be used and the former ones stay in use. The same error is reported only
  /// once in a row. May be empty.
  std::function<void(const absl::Status&)> on_reload;
};

/// A server's certificate that follows its files. Connections made after a change use the new
/// files; connections that are open keep those they began with. Files that do not make a valid pair
/// are reported and change nothing.
///
/// A shared_ptr owns it; listeners share it. Thread-safe.
///
///   auto certificates = TlsCertificates::Open({.files = {"tls.crt", "tls.key", "ca.crt"}});
///   if (!certificates.ok()) return certificates.status();
///   auto listener = Listener::Start({.tls = *certificates}, routes);
class TlsCertificates {
 public:
  /// Reads the files and starts to watch them, on a thread of its own. Errors are those of
  /// ReadTlsFiles() and BuildTlsContext(), or UNAVAILABLE if the files cannot be watched.
  static absl::StatusOr<std::shared_ptr<const TlsCertificates>> Open(
      TlsCertificatesOptions options);

  TlsCertificates(const TlsCertificates&) = delete;
  TlsCertificates& operator=(const TlsCertificates&) = delete;

  /// Returns the context for the next connection; never null.
  std::shared_ptr<ssl_ctx_st> Current() const;

  /// Returns the texts from which the context was made, for servers that make contexts themselves.
  /// Never null. The same object is returned until the texts change.
  std::shared_ptr<const TlsPem> Pem() const;

  /// Returns the seconds until the certificate in use expires; negative afterwards.
  std::chrono::duration<double> TimeLeft() const;

  /// How often changed files were taken over since Open().
  std::uint64_t reloads() const { return reloads_; }

  /// How often on_reload was, or would have been, called with an error since Open().
  std::uint64_t reload_failures() const { return reload_failures_; }

 private:
  // Takes what Open() has read. Throws if the files cannot be watched.
  TlsCertificates(TlsCertificatesOptions options, TlsPem pem, TlsContext context);

  // What the watch calls: TryReload(), and the report of its result.
  void Reload();
  // Takes over the files if they have changed and are valid. OK if they have not changed.
  absl::Status TryReload();

  const TlsCertificatesOptions options_;
  std::string last_error_;  // used by the watching thread alone

  // Only the watching thread writes the following. The mutex guards the next two.
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsPem> pem_;
  // Made from pem_.
  TlsContext context_;
  std::atomic<std::uint64_t> reloads_ = 0;
  std::atomic<std::uint64_t> reload_failures_ = 0;
  // The last member, because its thread uses everything above.
  FileWatch watch_;
};

}  // namespace berth::server
