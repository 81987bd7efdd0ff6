#include "controller/certificate_keeper.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "certs/server_certificate.h"
#include "fmt/format.h"
#include "model/annotation.h"

namespace berth::controller {

namespace {

constexpr char kOwnershipWords[] = "belongs to its owner";

// Returns the error in the form that certs::MakePlan() expects: it takes some codes for statements
// about a Secret, and of the codes of requests only NotFound is one.
absl::Status ToPlanError(const absl::Status& error) {
  if (absl::IsNotFound(error)) return error;
  return absl::UnavailableError(std::string(error.message()));
}

std::string WhyMade(certs::Cause cause) {
  return fmt::format("new certificate, because the previous one {}", certs::WordsFor(cause));
}

}  // namespace

// All that was read in a round: the objects, in the order of the settings, and what they say.
struct CertificateKeeper::Held {
  struct Webhook {
    std::string collection;
    std::string name;
    kube::ApiObject object;
  };

  absl::StatusOr<kube::ApiObject> authority;
  std::vector<absl::StatusOr<kube::ApiObject>> servers;
  std::vector<Webhook> webhooks;
  certs::State state;
};

CertificateKeeper::CertificateKeeper(Options options, CertificateSettings settings,
                                     ObjectClient* client, OwnerKeeper* owner_keeper,
                                     const Owner* owner, kube::Timer* timer, WriteObserver* writes,
                                     CertificateObserver* observer)
    : options_(std::move(options)),
      settings_(std::move(settings)),
      client_(client),
      owner_keeper_(owner_keeper),
      owner_(owner),
      timer_(timer),
      writes_(writes),
      observer_(observer),
      backoff_(options_.seed) {}

void CertificateKeeper::Run() {
  bool leads = true;
  std::chrono::milliseconds wait{0};
  do {
    const bool led = std::exchange(leads, options_.may_write());
    if (led && !leads) observer_->OnEnds({});
    wait = leads ? Round() : options_.idle;
  } while (timer_->Wait(wait));
}

std::chrono::milliseconds CertificateKeeper::Round() {
  wrote_ = failed_ = false;
  Fail(owner_keeper_->Pass());
  if (settings_.servers.empty()) return NextWait(std::nullopt);
  const Held held = Read();
  ReportExpiries(held);
  const certs::Plan plan = certs::MakePlan(held.state, options_.now());
  CarryOut(plan, held);
  return NextWait(plan.next);
}

CertificateKeeper::Held CertificateKeeper::Read() {
  Held held;
  ReadAuthority(held);
  for (const CertificateSettings::Server& server : settings_.servers) ReadServer(server, held);
  for (const std::string& name : settings_.webhooks) ReadWebhooks(name, held);
  return held;
}

void CertificateKeeper::ReadAuthority(Held& held) {
  certs::AuthorityState& state = held.state.authority;
  held.authority = client_->Get(SecretsIn(options_.namespace_name), settings_.authority_secret);
  if (!held.authority.ok()) {
    Fail(held.authority.status());
    state.held = ToPlanError(held.authority.status());
    return;
  }
  const certs::SecretData data = DataOf(*held.authority);
  state.held = certs::ReadAuthority(data);
  state.authorities = data.authorities;
  state.asked = IsRenewalRequested(*held.authority);
  if (!state.held.ok()) observer_->OnUnreadable(settings_.authority_secret, state.held.status());
}

void CertificateKeeper::ReadServer(const CertificateSettings::Server& settings, Held& held) {
  certs::ServerState& state = held.state.servers.emplace_back();
  state.usage = settings.usage;
  const auto& object =
      held.servers.emplace_back(client_->Get(SecretsIn(options_.namespace_name), settings.secret));
  const absl::StatusOr<certs::Names> names = NamesOf(settings);
  if (!object.ok() || !names.ok()) {
    Fail(object.status());
    Fail(names.status());
    state.held = ToPlanError(names.ok() ? object.status() : absl::UnavailableError("names"));
    state.names = names.value_or(certs::Names());
    return;
  }
  const certs::SecretData data = DataOf(*object);
  state.held = certs::ReadServerCertificate(data);
  state.authorities = data.authorities;
  state.trusted = certs::TrustedBy(data);
  state.asked = IsRenewalRequested(*object);
  state.names = *names;
  if (!state.held.ok()) observer_->OnUnreadable(settings.secret, state.held.status());
}

// A Service that does not exist yet has no addresses yet.
absl::StatusOr<certs::Names> CertificateKeeper::NamesOf(
    const CertificateSettings::Server& settings) {
  certs::Names names;
  for (const std::string& host : settings.hosts) certs::Add(host, names);
  if (settings.service.empty()) return names;
  const auto service = client_->Get(ServicesIn(options_.namespace_name), settings.service);
  if (!service.ok() && !absl::IsNotFound(service.status())) return service.status();
  certs::AddService(settings.service, options_.namespace_name,
                    service.ok() ? service->ClusterIps() : std::vector<std::string>(), names);
  return names;
}

void CertificateKeeper::ReadWebhooks(const std::string& name, Held& held) {
  for (const char* collection : {kMutatingWebhooks, kValidatingWebhooks}) {
    auto object = client_->Get(collection, name);
    if (absl::IsNotFound(object.status())) continue;
    if (!object.ok()) {
      Fail(object.status());
      held.state.knows_bundles = false;
      continue;
    }
    for (std::string& bundle : object->CaBundles()) {
      held.state.bundles.push_back(std::move(bundle));
    }
    held.webhooks.push_back({collection, name, *std::move(object)});
  }
}

void CertificateKeeper::ReportExpiries(const Held& held) {
  std::map<std::string, model::Time> ends;
  const auto& authority = held.state.authority.held;
  if (authority.ok()) {
    ends[settings_.authority_secret] = authority->issuer.certificate.not_after();
  }
  for (std::size_t i = 0; i < settings_.servers.size(); ++i) {
    const auto& certificate = held.state.servers[i].held;
    if (certificate.ok()) ends[settings_.servers[i].secret] = certificate->not_after();
  }
  observer_->OnEnds(ends);
}

bool CertificateKeeper::IsRenewalRequested(const kube::ApiObject& secret) const {
  const std::string asked = secret.Annotation(model::kRenewAnnotation.Below(options_.prefix));
  return !asked.empty() &&
         asked != secret.Annotation(model::kRenewedAnnotation.Below(options_.prefix));
}

void CertificateKeeper::CarryOut(const certs::Plan& plan, const Held& held) {
  if (plan.authority && WriteNewAuthority(plan, held)) return;
  if (plan.bundle.empty()) return;  // no authority works, or it is unknown
  kube::ApiObject authority = BeginSecret(settings_.authority_secret, held.authority);
  if (plan.tidy_authority) {
    SetData(certs::ToSecret(certs::WithoutEnded(*held.state.authority.held, options_.now())),
            authority);
  }
  WriteSecret(settings_.authority_secret, held.authority, authority,
              plan.tidy_authority ? "trusted authorities" : kOwnershipWords);
  WriteBundles(plan.bundle, held);
  WriteServers(plan, held);
}

bool CertificateKeeper::WriteNewAuthority(const certs::Plan& plan, const Held& held) {
  const auto& former = held.state.authority.held;
  const auto next =
      former.ok() ? certs::NextAuthority(*former, settings_.authority_life, options_.now())
                  : certs::FirstAuthority(settings_.authority_life, plan.formers, options_.now());
  if (!next.ok()) {
    Fail(next.status());
    return false;
  }
  kube::ApiObject secret = BeginSecret(settings_.authority_secret, held.authority);
  SetData(certs::ToSecret(*next), secret);
  MarkRenewed(secret);
  return WriteSecret(settings_.authority_secret, held.authority, secret, WhyMade(*plan.authority));
}

// Validating webhooks get the bundle a round after mutating ones. Otherwise the API server could
// already call the one that demands a change and not yet the one that makes it, and would reject
// the pod.
void CertificateKeeper::WriteBundles(const std::string& bundle, const Held& held) {
  if (!WriteBundles(kMutatingWebhooks, bundle, held)) return;
  WriteBundles(kValidatingWebhooks, bundle, held);
}

bool CertificateKeeper::WriteBundles(std::string_view collection, const std::string& bundle,
                                     const Held& held) {
  bool as_they_should_be = true;
  for (const Held::Webhook& webhook : held.webhooks) {
    if (webhook.collection != collection) continue;
    kube::ApiObject object = webhook.object;
    object.SetCaBundles(bundle);
    if (object == webhook.object) continue;
    as_they_should_be = false;
    if (!options_.may_write()) continue;
    Report(Write::kCaBundle, webhook.name, "trusted authorities",
           client_->Update(webhook.collection, webhook.name, object));
  }
  return as_they_should_be;
}

void CertificateKeeper::WriteServers(const certs::Plan& plan, const Held& held) {
  for (std::size_t i = 0; i < settings_.servers.size(); ++i) {
    const auto task = std::find_if(plan.servers.begin(), plan.servers.end(),
                                   [i](const certs::ServerTask& each) { return each.server == i; });
    WriteTask(task == plan.servers.end() ? nullptr : &*task, i, plan, held);
  }
}

// Without a task, the Secret may still lack its owner.
void CertificateKeeper::WriteTask(const certs::ServerTask* task, std::size_t server,
                                  const certs::Plan& plan, const Held& held) {
  const auto& before = held.servers[server];
  if (task == nullptr && !before.ok()) return;
  const std::string& name = settings_.servers[server].secret;
  kube::ApiObject secret = BeginSecret(name, before);
  if (task == nullptr) {
    WriteSecret(name, before, secret, kOwnershipWords);
    return;
  }
  if (!task->cause) {
    secret.SetSecretValue(kAuthoritiesKey, plan.bundle);
    WriteSecret(name, before, secret, "trusted authorities");
    return;
  }
  const certs::ServerState& state = held.state.servers[server];
  const auto data = certs::NewServerCertificate(*held.state.authority.held, state.names,
                                                settings_.server_life, options_.now(), state.usage);
  if (!data.ok()) return Fail(data.status());
  SetData(*data, secret);
  MarkRenewed(secret);
  WriteSecret(name, before, secret, WhyMade(*task->cause));
}

kube::ApiObject CertificateKeeper::BeginSecret(
    const std::string& name, const absl::StatusOr<kube::ApiObject>& before) const {
  if (before.ok()) {
    kube::ApiObject secret = *before;
    const auto owner = owner_->Get();
    if (owner && !secret.HasOwner(*owner)) secret.SetOwner(*owner);
    return secret;
  }
  kube::ApiObject secret = kube::ApiObject::New("v1", "Secret", options_.namespace_name, name);
  secret.SetSecretType("kubernetes.io/tls");
  secret.SetLabel("app.kubernetes.io/name", "berth");
  secret.SetLabel("app.kubernetes.io/managed-by", "berth-controller");
  if (const auto owner = owner_->Get()) secret.SetOwner(*owner);
  return secret;
}

void CertificateKeeper::MarkRenewed(kube::ApiObject& secret) const {
  const std::string asked = secret.Annotation(model::kRenewAnnotation.Below(options_.prefix));
  if (asked.empty()) return;
  secret.SetAnnotation(model::kRenewedAnnotation.Below(options_.prefix), asked);
}

bool CertificateKeeper::WriteSecret(const std::string& name,
                                    const absl::StatusOr<kube::ApiObject>& before,
                                    const kube::ApiObject& after, std::string_view why) {
  if (before.ok() && *before == after) return true;
  if (!options_.may_write()) return false;
  const std::string collection = SecretsIn(options_.namespace_name);
  const absl::Status status =
      before.ok() ? client_->Update(collection, name, after) : client_->Create(collection, after);
  Report(Write::kSecret, options_.namespace_name + "/" + name, why, status);
  return status.ok();
}

void CertificateKeeper::Report(Write write, const std::string& object, std::string_view why,
                               const absl::Status& status) {
  if (absl::IsCancelled(status)) return;
  (status.ok() ? wrote_ : failed_) = true;
  writes_->OnWritten(write, object, why, status);
}

void CertificateKeeper::Fail(const absl::Status& status) {
  if (status.ok() || absl::IsNotFound(status) || absl::IsCancelled(status)) return;
  failed_ = true;
  observer_->OnCertificateError(status);
}

std::chrono::milliseconds CertificateKeeper::NextWait(std::optional<model::Time> next) {
  std::chrono::milliseconds wait = wrote_ ? options_.pace : options_.interval;
  if (failed_) {
    wait = backoff_.Next();
  } else {
    backoff_.Reset();
  }
  if (!next) return wait;
  const std::chrono::milliseconds due = *next - options_.now();
  return std::min(wait, std::max(due, options_.pace));
}

}  // namespace berth::controller
