#include "controller/certificate_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::controller {
namespace {

using testing::HasSubstr;
using testing::Not;

class CertificateReportTest : public ::testing::Test {
 protected:
  template <typename Call>
  std::string LogOf(Call call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
  }

  server::Metrics metrics_;
  CertificateReport report_{metrics_};
};

TEST_F(CertificateReportTest, ExportsTheSecondsLeftOfEachSecret) {
  const std::string name = "berth_controller_certificate_seconds_left";
  EXPECT_THAT(metrics_.Exposition(), Not(HasSubstr(name)));
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  report_.OnEnds(
      {{"a-tls", now + std::chrono::hours(2400)}, {"b-tls", now - std::chrono::hours(1)}});
  const std::string text = metrics_.Exposition();
  EXPECT_THAT(text, HasSubstr(name + "{secret=\"a-tls\"} 86"));  // 8,640,000 less what has passed
  EXPECT_THAT(text, HasSubstr(name + "{secret=\"b-tls\"} -36"));
  report_.OnEnds({});
  EXPECT_THAT(metrics_.Exposition(), Not(HasSubstr(name)));
}

TEST_F(CertificateReportTest, CountsErrorsAndSaysWhatToDo) {
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_controller_certificate_errors_total 0"));
  const std::string log = LogOf([&] {
    report_.OnCertificateError(absl::PermissionDeniedError("GET /x: 403"));
    report_.OnCertificateError(absl::UnavailableError("GET /y: 500"));
  });
  EXPECT_THAT(log, HasSubstr("`berth controller --rbac --config FILE`"));
  EXPECT_THAT(log, Not(HasSubstr("GET /y")));  // once in a while
  EXPECT_THAT(metrics_.Exposition(), HasSubstr("berth_controller_certificate_errors_total 2"));
}

TEST_F(CertificateReportTest, WarnsOfWhatCannotBeRead) {
  const std::string log = LogOf([&] {
    report_.OnUnreadable("a-tls", absl::InvalidArgumentError("tls.crt holds no PEM certificate"));
  });
  EXPECT_THAT(log, HasSubstr("\"level\":\"warning\""));
  EXPECT_THAT(log, HasSubstr("\"secret\":\"a-tls\""));
  EXPECT_THAT(log, HasSubstr("tls.crt holds no PEM certificate"));
}

}  // namespace
}  // namespace berth::controller
