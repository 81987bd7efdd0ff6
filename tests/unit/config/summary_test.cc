#include "config/summary.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::config {
namespace {

TEST(Summarize, IsOneLineOfWhatMatters) {
  EXPECT_EQ(
      Summarize({}),
      "extender on :8443 (no certificate), admission on :9443 (no certificate), metrics on "
      ":9090; accelerators V100, A100, A30, MN-Core, MN-Core2, H100, H200, B200, L4, L40S, T4, "
      "GH200, MI210, MI250, MI300X, TPU-v4, TPU-v5e, TPU-v5p, TPU-v6e, Gaudi, Ascend910, "
      "Ascend310P; 8 health conditions; weights accelerator 3, health 4, thrift 2, packing 2, "
      "avoid 1, kept 0");
}

TEST(Summarize, TellsHowServersAreProtected) {
  BerthConfiguration config;
  config.admission.tls.cert_file = "/crt";
  EXPECT_NE(Summarize(config).find("admission on :9443 (TLS)"), std::string::npos);
  config.extender.tls.cert_file = "/crt";
  config.extender.tls.client_ca_file = "/ca";
  EXPECT_NE(Summarize(config).find("(TLS with client certificates)"), std::string::npos);
  config.extender.insecure_loopback = true;
  EXPECT_NE(Summarize(config).find("(plain HTTP)"), std::string::npos);
}

TEST(Summarize, TellsWhatIsOnlyObserved) {
  BerthConfiguration config;
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  std::get<Health>(config.scheduling.policies.all).mode = policies::scheduling::Mode::kObserve;
  EXPECT_NE(Summarize(config).find("accelerator 3, health observed, thrift 2"), std::string::npos);
}

}  // namespace
}  // namespace berth::config
