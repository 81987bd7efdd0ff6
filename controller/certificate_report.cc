#include "controller/certificate_report.h"

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "server/log.h"

namespace berth::controller {

namespace {

using server::Log;
using server::LogLevel;

constexpr std::chrono::seconds kCertificateLineInterval{10};

}  // namespace

class CertificateReport::Ends final : public prometheus::Collectable {
 public:
  void Set(std::map<std::string, model::Time> ends) {
    const std::lock_guard guard(mutex_);
    ends_ = std::move(ends);
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    prometheus::MetricFamily family{
        "berth_controller_certificate_seconds_left",
        "Seconds until the certificate in a Secret expires; only the leader exports it.",
        prometheus::MetricType::Gauge,
        {}};
    const auto now = std::chrono::system_clock::now();
    const std::lock_guard guard(mutex_);
    for (const auto& [secret, end] : ends_) {
      prometheus::ClientMetric metric;
      metric.label = {{"secret", secret}};
      metric.gauge.value = std::chrono::duration<double>(end - now).count();
      family.metric.push_back(std::move(metric));
    }
    if (family.metric.empty()) return {};
    return {std::move(family)};
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, model::Time> ends_;
};

CertificateReport::CertificateReport(server::Metrics& metrics)
    : ends_(std::make_shared<Ends>()),
      errors_(&prometheus::BuildCounter()
                   .Name("berth_controller_certificate_errors_total")
                   .Help("Failures to read or make something that certificates need.")
                   .Register(metrics.registry())
                   .Add({})),
      error_lines_(kCertificateLineInterval),
      unreadable_lines_(kCertificateLineInterval) {
  metrics.AddCollectable(ends_);
}

CertificateReport::~CertificateReport() = default;

void CertificateReport::OnEnds(const std::map<std::string, model::Time>& ends) { ends_->Set(ends); }

void CertificateReport::OnUnreadable(const std::string& secret, const absl::Status& why) {
  if (const auto held_back = unreadable_lines_.Admit()) {
    const std::string reason(why.message());
    Log(LogLevel::kWarning, "a Secret holds no usable certificate; writing it anew",
        {{"secret", secret}, {"reason", reason}, {"linesHeldBack", *held_back}});
  }
}

void CertificateReport::OnCertificateError(const absl::Status& error) {
  errors_->Increment();
  if (const auto held_back = error_lines_.Admit()) {
    const std::string message(error.message());
    const char* hint = absl::IsPermissionDenied(error)
                           ? "`berth controller --rbac --config FILE` writes the roles"
                           : "Berth tries again";
    Log(LogLevel::kError, "cannot read or make what certificates need",
        {{"error", message}, {"hint", hint}, {"linesHeldBack", *held_back}});
  }
}

}  // namespace berth::controller
