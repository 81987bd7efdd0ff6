#include "cli/certs_view.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "certs/plan.h"
#include "certs/server_certificate.h"
#include "cli/age.h"
#include "cli/text_table.h"

namespace berth::cli {

namespace {

constexpr char kNoSecret[] = "there is no such Secret";
constexpr char kOtherAuthorities[] = "its ca.crt differs from the authority's";

CertificateView ViewOf(const std::string& secret, const certs::Certificate& certificate) {
  return {.secret = secret,
          .subject = certificate.subject(),
          .issuer = certificate.issuer(),
          .names = certs::Texts(certificate.names()),
          .until = certificate.not_after()};
}

std::string ProblemOf(std::optional<certs::Cause> cause) {
  return cause ? std::string(certs::WordsFor(*cause)) : "";
}

/// Reads Secrets and bundles one by one into a CertsView. ReadAuthority() comes first.
class Reader {
 public:
  Reader(const std::string& namespace_name, model::Time now, controller::ObjectClient& client)
      : namespace_(namespace_name), client_(client) {
    view_.time = now;
  }

  absl::Status ReadAuthority(const std::string& secret) {
    const auto object = client_.Get(controller::SecretsIn(namespace_), secret);
    if (!object.ok()) return Missing(secret, object.status());
    const certs::SecretData data = controller::DataOf(*object);
    auto authority = certs::ReadAuthority(data);
    if (!authority.ok()) return Unreadable(secret, authority.status());
    bundle_ = certs::Bundle(*authority, view_.time);
    view_.certificates.push_back(ViewOf(secret, authority->issuer.certificate));
    view_.certificates.back().problem =
        ProblemOf(certs::WhyNewAuthority(authority, false, view_.time));
    issuer_ = authority->issuer.certificate;
    for (const certs::Certificate& former : certs::WithoutEnded(*authority, view_.time).formers) {
      view_.formers.push_back({former.subject(), former.not_after()});
    }
    return absl::OkStatus();
  }

  absl::Status ReadLeaf(const std::string& secret, certs::Usage usage) {
    const auto object = client_.Get(controller::SecretsIn(namespace_), secret);
    if (!object.ok()) return Missing(secret, object.status());
    const certs::SecretData data = controller::DataOf(*object);
    const auto certificate = certs::ReadServerCertificate(data);
    if (!certificate.ok()) return Unreadable(secret, certificate.status());
    CertificateView& view = view_.certificates.emplace_back(ViewOf(secret, *certificate));
    if (!issuer_) return absl::OkStatus();  // the view has the authority's problem already
    view.problem = ProblemOf(certs::WhyNewCertificate(certificate, certificate->names(), usage,
                                                      *issuer_, false, view_.time));
    if (view.problem.empty() && data.authorities != bundle_) view.problem = kOtherAuthorities;
    return absl::OkStatus();
  }

  absl::Status ReadBundles(const std::string& collection, const std::string& kind,
                           const std::string& name) {
    const auto object = client_.Get(collection, name);
    if (absl::IsNotFound(object.status())) return absl::OkStatus();
    if (!object.ok()) return object.status();
    const std::vector<std::string> bundles = object->CaBundles();
    const auto matching = std::count(bundles.begin(), bundles.end(), bundle_);
    view_.bundles.push_back({kind, name, bundles.size(), static_cast<std::size_t>(matching)});
    return absl::OkStatus();
  }

  CertsView Take() { return std::move(view_); }

 private:
  absl::Status Missing(const std::string& secret, const absl::Status& status) {
    if (!absl::IsNotFound(status)) return status;
    view_.certificates.push_back({.secret = secret, .problem = kNoSecret});
    return absl::OkStatus();
  }

  absl::Status Unreadable(const std::string& secret, const absl::Status& status) {
    view_.certificates.push_back({.secret = secret, .problem = std::string(status.message())});
    return absl::OkStatus();
  }

  const std::string& namespace_;
  controller::ObjectClient& client_;
  CertsView view_;
  std::string bundle_ = "there is no authority";
  std::optional<certs::Certificate> issuer_;
};

Row RowOf(const CertificateView& view, model::Time now) {
  if (view.subject.empty() && view.until == model::kNoTime) {
    return {view.secret, "-", "-", "-", "-", "-", view.problem};
  }
  const std::string names = fmt::format("{}", fmt::join(view.names, ","));
  return {view.secret, view.subject,           names.empty() ? "-" : names,
          view.issuer, FormatTime(view.until), FormatAge(now, view.until),
          view.problem};
}

nlohmann::json JsonOf(const CertificateView& view, model::Time now) {
  nlohmann::json json = {{"secret", view.secret}, {"problem", view.problem}};
  if (view.until == model::kNoTime) return json;
  json.update({{"subject", view.subject},
               {"issuer", view.issuer},
               {"names", view.names},
               {"notAfter", FormatTime(view.until)},
               {"secondsLeft", (view.until - now).count()}});
  return json;
}

nlohmann::json JsonOf(const BundleView& view) {
  return {{"kind", view.kind},
          {"name", view.name},
          {"webhooks", view.webhooks},
          {"matching", view.matching}};
}

}  // namespace

bool CertsView::AllWell() const {
  return std::all_of(certificates.begin(), certificates.end(),
                     [](const CertificateView& each) { return each.problem.empty(); }) &&
         std::all_of(bundles.begin(), bundles.end(),
                     [](const BundleView& each) { return each.matching == each.webhooks; });
}

absl::StatusOr<CertsView> ReadCerts(const controller::CertificatesConfig& config,
                                    const std::string& namespace_name, model::Time now,
                                    controller::ObjectClient& client) {
  Reader reader(namespace_name, now, client);
  absl::Status status = reader.ReadAuthority(config.authority.secret);
  for (const controller::ServerCertificateConfig& server : config.servers) {
    status.Update(reader.ReadLeaf(server.secret, certs::Usage::kServer));
  }
  for (const controller::ClientCertificateConfig& each : config.clients) {
    status.Update(reader.ReadLeaf(each.secret, certs::Usage::kClient));
  }
  for (const std::string& name : config.webhooks) {
    status.Update(
        reader.ReadBundles(controller::kMutatingWebhooks, "MutatingWebhookConfiguration", name));
    status.Update(reader.ReadBundles(controller::kValidatingWebhooks,
                                     "ValidatingWebhookConfiguration", name));
  }
  if (!status.ok()) return status;
  return reader.Take();
}

std::string CertsText(const CertsView& view) {
  std::vector<Row> rows = {{"SECRET", "SUBJECT", "NAMES", "ISSUER", "UNTIL", "LEFT", "PROBLEM"}};
  for (const CertificateView& each : view.certificates) rows.push_back(RowOf(each, view.time));
  std::string text = FormatTable(rows, {});
  for (const FormerView& each : view.formers) {
    text += fmt::format("{} is trusted, too, until it expires on {}\n", each.subject,
                        FormatTime(each.until));
  }
  for (const BundleView& each : view.bundles) {
    text += fmt::format("{} {}: {} of {} webhooks trust the authority\n", each.kind, each.name,
                        each.matching, each.webhooks);
  }
  return text;
}

std::string CertsJson(const CertsView& view) {
  nlohmann::json json = {{"time", FormatTime(view.time)},
                         {"certificates", nlohmann::json::array()},
                         {"formers", nlohmann::json::array()},
                         {"caBundles", nlohmann::json::array()}};
  for (const CertificateView& each : view.certificates) {
    json["certificates"].push_back(JsonOf(each, view.time));
  }
  for (const FormerView& each : view.formers) {
    json["formers"].push_back({{"subject", each.subject}, {"notAfter", FormatTime(each.until)}});
  }
  for (const BundleView& each : view.bundles) json["caBundles"].push_back(JsonOf(each));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace berth::cli
