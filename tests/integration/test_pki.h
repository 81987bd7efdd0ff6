#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::tests {

/// A certificate and its private key, both PEM.
struct PemPair {
  std::string certificate;
  std::string key;
};

/// What a certificate is for; becomes its extended key usage.
enum class LeafUse { kServer, kClient };

struct LeafOptions {
  LeafUse use = LeafUse::kServer;
  std::string common_name = "berth-test";
  /// Subject alternative names as OpenSSL writes them: "DNS:localhost", "IP:127.0.0.1", "IP:::1".
  std::vector<std::string> names = {"DNS:localhost", "IP:127.0.0.1", "IP:::1"};
  /// Validity relative to now; a test of expired certificates makes both negative.
  std::chrono::seconds valid_from{-3600};
  std::chrono::seconds valid_until{86400};
};

/// A throwaway certificate authority; its keys (P-256) never leave the process unless a test writes
/// them. Throws std::runtime_error with OpenSSL's words when something fails. Thread-compatible.
class TestCa {
 public:
  explicit TestCa(const std::string& common_name = "berth-test-ca");

  /// The CA's own certificate, PEM.
  const std::string& certificate() const { return certificate_; }

  PemPair Issue(const LeafOptions& options = {}) const;

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> x509_;
  std::string certificate_;
};

/// A folder below the system's temporary one, removed with everything in it at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes (or overwrites in place) `name` and returns its full path.
  std::string Write(std::string_view name, std::string_view text) const;
  /// The same at one stroke, as kubelet does it with a ConfigMap: who reads the file meanwhile sees
  /// the former text or the new one.
  std::string Replace(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace berth::tests
