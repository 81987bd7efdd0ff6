#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "certs/plan.h"
#include "certs/secret_data.h"
#include "controller/certificate_observer.h"
#include "controller/object_client.h"
#include "controller/owner.h"
#include "controller/owner_keeper.h"
#include "controller/write_observer.h"
#include "kube/api_object.h"
#include "kube/backoff.h"
#include "kube/permission.h"
#include "kube/timer.h"
#include "model/time.h"

namespace berth::controller {

/// What CertificateKeeper asks of the API server, for the names of its settings: Secrets and
/// Services in one namespace, webhook configurations in none.
inline constexpr kube::Permission kSecretPermissions[] = {
    {"", "secrets", "create"}, {"", "secrets", "get"}, {"", "secrets", "update"}};
inline constexpr kube::Permission kServicePermissions[] = {{"", "services", "get"}};
inline constexpr kube::Permission kWebhookPermissions[] = {
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations", "get"},
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations", "update"},
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations", "get"},
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations", "update"}};

/// Annotations of Secrets, below the prefix. Whoever wants a new certificate writes the first, with
/// another value than it had, such as the time; the keeper copies it to the second when it is done.
inline constexpr std::string_view kRenewAnnotation = "renew";
inline constexpr std::string_view kRenewedAnnotation = "renewed";

/// What certificates there are to be.
struct CertificateSettings {
  /// A server; or, with that usage, a client of one.
  struct Server {
    std::string secret;
    /// Empty: none.
    std::string service;
    /// Of a client the names by which servers know it.
    std::vector<std::string> hosts;
    certs::Usage usage = certs::Usage::kServer;
  };

  std::string authority_secret;
  std::chrono::seconds authority_life{0};
  std::chrono::seconds server_life{0};
  /// None: there are to be no certificates, and nothing is asked for.
  std::vector<Server> servers;
  /// Webhook configurations, mutating and validating ones alike.
  std::vector<std::string> webhooks;
};

/// Keeps the Secrets and caBundles as certs::MakePlan() has it. Everything is read again, by name,
/// in each round. Run() on one thread; it ends when the timer is stopped.
class CertificateKeeper {
 public:
  struct Options {
    /// Of Secrets and Services.
    std::string namespace_name;
    /// Of annotations: "berth.dev".
    std::string prefix;
    /// Asked right before each write.
    std::function<bool()> may_write;
    std::function<model::Time()> now;
    /// For jitter.
    std::uint64_t seed = 0;
    /// Between two looks while nothing is due.
    std::chrono::milliseconds interval{std::chrono::seconds(10)};
    /// After a write, until its effect is looked at; and the least wait for what is due.
    std::chrono::milliseconds pace{std::chrono::seconds(1)};
    /// Between two looks at whether this controller leads.
    std::chrono::milliseconds idle{250};
  };

  /// Everything must outlive this.
  CertificateKeeper(Options options, CertificateSettings settings, ObjectClient* client,
                    OwnerKeeper* owner_keeper, const Owner* owner, kube::Timer* timer,
                    WriteObserver* writes, CertificateObserver* observer);

  void Run();

 private:
  struct Held;

  std::chrono::milliseconds Round();
  Held Read();
  void ReadAuthority(Held& held);
  void ReadServer(const CertificateSettings::Server& settings, Held& held);
  absl::StatusOr<certs::Names> NamesOf(const CertificateSettings::Server& settings);
  void ReadWebhooks(const std::string& name, Held& held);
  void ReportExpiries(const Held& held);
  bool WasAskedFor(const kube::ApiObject& secret) const;

  void CarryOut(const certs::Plan& plan, const Held& held);
  bool WriteNewAuthority(const certs::Plan& plan, const Held& held);
  void WriteBundles(const std::string& bundle, const Held& held);
  bool WriteBundles(std::string_view collection, const std::string& bundle, const Held& held);
  void WriteServers(const certs::Plan& plan, const Held& held);
  void WriteTask(const certs::ServerTask* task, std::size_t server, const certs::Plan& plan,
                 const Held& held);
  bool WriteSecret(const std::string& name, const absl::StatusOr<kube::ApiObject>& before,
                   kube::ApiObject after, std::string_view why);
  void Report(Write write, const std::string& object, std::string_view why,
              const absl::Status& status);
  void Fail(const absl::Status& status);
  kube::ApiObject BeginSecret(const std::string& name,
                              const absl::StatusOr<kube::ApiObject>& before) const;
  void MarkRenewed(kube::ApiObject& secret) const;
  std::chrono::milliseconds NextWait(std::optional<model::Time> next);

  const Options options_;
  const CertificateSettings settings_;
  ObjectClient* const client_;
  OwnerKeeper* const owner_keeper_;
  const Owner* const owner_;
  kube::Timer* const timer_;
  WriteObserver* const writes_;
  CertificateObserver* const observer_;
  kube::Backoff backoff_;
  /// In this round.
  bool wrote_ = false;
  bool failed_ = false;
};

}  // namespace berth::controller
