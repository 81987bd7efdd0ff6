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

/// The rights that CertificateKeeper needs at the API server. All are for single objects, by the
/// names in its settings. Secrets and Services are in one namespace; webhook configurations belong
/// to the cluster.
inline constexpr kube::Permission kSecretPermissions[] = {
    {"", "secrets", "create"}, {"", "secrets", "get"}, {"", "secrets", "update"}};
/// Only if a server has a Service.
inline constexpr kube::Permission kServicePermissions[] = {{"", "services", "get"}};
/// Only if there are webhooks.
inline constexpr kube::Permission kWebhookPermissions[] = {
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations", "get"},
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations", "update"},
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations", "get"},
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations", "update"}};

/// Which certificates to make, and how long they are valid. A plain value; it comes from
/// CertificatesConfig.
struct CertificateSettings {
  /// A server that needs a certificate, or, by `usage`, a client of these servers.
  struct Server {
    /// Name of the Secret with the certificate, its key and ca.crt.
    std::string secret;
    /// Name of the Service whose names and cluster IPs are in the certificate. Empty: none.
    std::string service;
    /// Further DNS names and IP addresses in the certificate. For a client: the names by which
    /// servers know it.
    std::vector<std::string> hosts;
    /// On which side of a connection the certificate is used.
    certs::Usage usage = certs::Usage::kServer;
  };

  /// Name of the Secret with the authority's certificate and key.
  std::string authority_secret;
  /// For how long new certificates are valid: the authority's, and those that it signs.
  std::chrono::seconds authority_life{0};
  std::chrono::seconds server_life{0};
  /// Servers, then clients. Empty: the keeper makes no certificates, and reads neither Secrets nor
  /// webhooks.
  std::vector<Server> servers;
  /// Names of webhook configurations. Mutating and validating ones of these names get the caBundle.
  std::vector<std::string> webhooks;
};

/// Makes and renews the certificates of Berth's servers, and keeps the caBundles of webhooks equal
/// to what the authority says. In each round it reads all objects again, by name, lets
/// certs::MakePlan() decide, and writes what has to change.
///
/// The Secrets have the type kubernetes.io/tls and the keys tls.crt, tls.key and ca.crt. A missing
/// Secret is created, with the labels app.kubernetes.io/name "berth" and
/// app.kubernetes.io/managed-by "berth-controller", and belongs to the owner if there is one. What
/// else a Secret or a webhook configuration contains stays as it is. Nothing is ever deleted.
///
/// A write fails as Aborted if somebody has written the object since it was read. The next round
/// then reads it again.
///
/// What a round writes, in this order:
/// - a new authority, if one is needed, and then nothing else;
/// - the authority's Secret, without authorities that have expired;
/// - the caBundles of mutating webhooks, and in a later round those of validating webhooks;
/// - certificates and ca.crt in the Secrets of servers and clients.
///
/// Controller owns it. Run() blocks, so give it a thread; it ends when the timer is stopped. Not
/// thread-safe. All observers are called on the thread of Run().
class CertificateKeeper {
 public:
  /// The defaults of the waits are those of `berth controller`; tests use shorter ones.
  struct Options {
    /// Namespace of the Secrets and Services.
    std::string namespace_name;
    /// Prefix of annotations: "berth.dev".
    std::string prefix;
    /// Returns whether this controller leads. Asked before each round and right before each write.
    std::function<bool()> may_write;
    /// The time by which certificates begin and expire.
    std::function<model::Time()> now;
    /// For the jitter of waits after errors.
    std::uint64_t seed = 0;
    /// From one round to the next while there is nothing to do.
    std::chrono::milliseconds interval{std::chrono::seconds(10)};
    /// From a write to the next round, which sees its effect. Also the shortest wait for something
    /// that is due.
    std::chrono::milliseconds pace{std::chrono::seconds(1)};
    /// From one look at `may_write` to the next while this controller does not lead.
    std::chrono::milliseconds idle{250};
  };

  /// Everything pointed at must outlive this. Nothing is read before Run().
  CertificateKeeper(Options options, CertificateSettings settings, ObjectClient* client,
                    OwnerKeeper* owner_keeper, const Owner* owner, kube::Timer* timer,
                    WriteObserver* writes, CertificateObserver* observer);

  /// Does one round after the other while this controller leads, and waits while it does not.
  /// Returns when the timer is stopped. After errors, rounds follow one another after growing waits
  /// of up to 30 s. Errors go to `observer`, writes and their results to `writes`.
  void Run();

 private:
  // What was read in a round.
  struct Held;

  // One round. Returns how long to wait until the next.
  std::chrono::milliseconds Round();
  // Reads all objects that the settings name.
  Held Read();
  // Reads one Secret, and says in `held.state` what it contains. What cannot be read counts as
  // unknown, so that nothing is written because of it.
  void ReadAuthority(Held& held);
  void ReadServer(const CertificateSettings::Server& settings, Held& held);
  // Returns the names that the certificate of a server shall have. A Service that does not exist
  // has no addresses, which is not an error.
  absl::StatusOr<certs::Names> NamesOf(const CertificateSettings::Server& settings);
  // Reads the configurations of that name, of both kinds. A missing one is left out.
  void ReadWebhooks(const std::string& name, Held& held);
  // Tells the observer when each certificate expires.
  void ReportExpiries(const Held& held);
  // Returns true if the annotations of the Secret ask for a new certificate.
  bool IsRenewalRequested(const kube::ApiObject& secret) const;

  // Writes what the plan says, or as much as may be written in this round. A new authority is
  // written alone.
  void CarryOut(const certs::Plan& plan, const Held& held);
  // Returns true if the Secret has the new authority now.
  bool WriteNewAuthority(const certs::Plan& plan, const Held& held);
  // Writes the caBundles of mutating webhooks and, in a later round, those of validating ones.
  void WriteBundles(const std::string& bundle, const Held& held);
  // Writes the caBundles of one collection. Returns true if none had to be written.
  bool WriteBundles(std::string_view collection, const std::string& bundle, const Held& held);
  // Writes the Secrets of all servers for which the plan has a task, or which lack their owner.
  void WriteServers(const certs::Plan& plan, const Held& held);
  // Writes the Secret of one server. `task` is null if the plan has none for it.
  void WriteTask(const certs::ServerTask* task, std::size_t server, const certs::Plan& plan,
                 const Held& held);
  // Writes `after` if it differs from `before` and this controller may write. Returns true if the
  // Secret is as it should be.
  bool WriteSecret(const std::string& name, const absl::StatusOr<kube::ApiObject>& before,
                   const kube::ApiObject& after, std::string_view why);
  // Notes the result of a write for NextWait(), and passes it on. A cancelled write is neither a
  // success nor a failure.
  void Report(Write write, const std::string& object, std::string_view why,
              const absl::Status& status);
  // Notes an error of anything but a write for NextWait(), and passes it on. NotFound and Cancelled
  // are not errors here.
  void Fail(const absl::Status& status);
  // Returns the Secret as it was read, or a new one, with its owner.
  kube::ApiObject BeginSecret(const std::string& name,
                              const absl::StatusOr<kube::ApiObject>& before) const;
  // Copies the value of kRenewAnnotation to kRenewedAnnotation, if there is one.
  void MarkRenewed(kube::ApiObject& secret) const;
  // Returns how long to wait; `next` is when something will be due, if that is known.
  std::chrono::milliseconds NextWait(std::optional<model::Time> next);

  const Options options_;
  const CertificateSettings settings_;
  ObjectClient* const client_;
  OwnerKeeper* const owner_keeper_;
  const Owner* const owner_;
  kube::Timer* const timer_;
  WriteObserver* const writes_;
  CertificateObserver* const observer_;
  // Waits after errors: from 0.5 s to 30 s, each random between half of that and all.
  kube::Backoff backoff_;
  // Whether something was written, and whether something failed, in this round.
  bool wrote_ = false;
  bool failed_ = false;
};

}  // namespace berth::controller
