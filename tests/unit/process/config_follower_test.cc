#include "process/config_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "config/reader.h"
#include "tests/integration/test_pki.h"

namespace berth::process {
namespace {

using berth::tests::TempDir;
using ::testing::HasSubstr;

constexpr char kHead[] =
    "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n"
    "extender: {listen: '127.0.0.1:0', insecureLoopback: true}\n";

class ConfigFollowerTest : public ::testing::Test {
 protected:
  std::unique_ptr<ConfigFollower> Follow(const std::string& text) {
    file_ = dir_.Replace("berth.yaml", text);
    config::ConfigReading reading = config::ReadConfig(file_);
    EXPECT_TRUE(reading.ok()) << yaml::ToString(reading.errors);
    // Checks often, so that nothing depends on how the system tells of changes.
    const server::FileWatchOptions watch{.recheck = std::chrono::milliseconds(5),
                                         .settle = std::chrono::milliseconds(1)};
    return std::make_unique<ConfigFollower>(
        ConfigFollower::Options{file_, std::move(reading.text), std::move(reading.config), watch},
        metrics_, [this](const config::BerthConfiguration& config) { OnApply(config); });
  }

  void OnApply(const config::BerthConfiguration& config) {
    const std::lock_guard lock(mutex_);
    prefix_ = config.prefix;
    changed_.notify_all();
  }

  bool AwaitPrefix(const std::string& prefix) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return prefix_ == prefix; });
  }

  bool AwaitMetric(const std::string& sample) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (metrics_.Exposition().find(sample + "\n") == std::string::npos) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  double Hash() const {
    const std::string text = metrics_.Exposition();
    constexpr char kName[] = "\nberth_config_hash ";
    return std::stod(text.substr(text.find(kName) + sizeof(kName) - 1));
  }

  const TempDir dir_;
  std::string file_;
  server::Metrics metrics_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string prefix_;
};

std::string WithPrefix(const std::string& prefix) { return kHead + ("prefix: " + prefix + "\n"); }

TEST_F(ConfigFollowerTest, TakesOverAChangedFile) {
  const auto follower = Follow(WithPrefix("one.example"));
  EXPECT_TRUE(AwaitMetric("berth_config_generation 1"));
  const double hash = Hash();
  dir_.Replace("berth.yaml", WithPrefix("two.example"));
  EXPECT_TRUE(AwaitPrefix("two.example"));
  EXPECT_TRUE(AwaitMetric("berth_config_generation 2"));
  EXPECT_TRUE(AwaitMetric("berth_config_restart_needed 0"));
  EXPECT_NE(Hash(), hash);
  dir_.Replace("berth.yaml", WithPrefix("one.example"));
  EXPECT_TRUE(AwaitMetric("berth_config_generation 3"));
  EXPECT_EQ(Hash(), hash);
}

TEST_F(ConfigFollowerTest, KeepsTheFormerWhereTheFileIsBroken) {
  const auto follower = Follow(WithPrefix("one.example"));
  ::testing::internal::CaptureStderr();
  dir_.Replace("berth.yaml", WithPrefix("two.example") + "helth: {}\n");
  EXPECT_TRUE(AwaitMetric("berth_config_last_reload_successful 0"));
  EXPECT_TRUE(AwaitMetric("berth_config_generation 1"));
  dir_.Replace("berth.yaml", WithPrefix("three.example"));
  EXPECT_TRUE(AwaitPrefix("three.example"));
  EXPECT_TRUE(AwaitMetric("berth_config_last_reload_successful 1"));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("berth.yaml:5: helth: there is no such field"));
  // Once, however often it was looked at.
  EXPECT_EQ(log.find("is broken"), log.rfind("is broken"));
}

TEST_F(ConfigFollowerTest, KeepsTheFormerWhereTheFileIsGoneAndIsContentWhenItIsBack) {
  const auto follower = Follow(WithPrefix("one.example"));
  ASSERT_EQ(std::remove(file_.c_str()), 0);
  EXPECT_TRUE(AwaitMetric("berth_config_last_reload_successful 0"));
  dir_.Replace("berth.yaml", WithPrefix("one.example"));
  EXPECT_TRUE(AwaitMetric("berth_config_last_reload_successful 1"));
  EXPECT_TRUE(AwaitMetric("berth_config_generation 1"));
}

TEST_F(ConfigFollowerTest, SaysWhatNeedsARestart) {
  const auto follower = Follow(WithPrefix("one.example"));
  dir_.Replace("berth.yaml", WithPrefix("two.example") + "metrics: {listen: '127.0.0.1:0'}\n");
  EXPECT_TRUE(AwaitMetric("berth_config_restart_needed 1"));
  EXPECT_TRUE(AwaitPrefix("two.example"));
  dir_.Replace("berth.yaml", WithPrefix("three.example"));
  EXPECT_TRUE(AwaitMetric("berth_config_restart_needed 0"));
}

struct Change {
  const char* name;
  void (*make)(config::BerthConfiguration&);
  bool restart;
};

class NeedsRestartTest : public ::testing::TestWithParam<Change> {};

TEST_P(NeedsRestartTest, IsTrueOfWhatOnlyAStartTakesOver) {
  config::BerthConfiguration changed;
  GetParam().make(changed);
  EXPECT_EQ(NeedsRestart({}, changed), GetParam().restart);
}

INSTANTIATE_TEST_SUITE_P(
    All, NeedsRestartTest,
    ::testing::Values(
        Change{"Nothing", [](config::BerthConfiguration&) {}, false},
        Change{"Prefix", [](config::BerthConfiguration& c) { c.prefix = "x.example"; }, false},
        Change{"LogLevel",
               [](config::BerthConfiguration& c) { c.log.level = config::LogThreshold::kDebug; },
               false},
        Change{"Catalogue", [](config::BerthConfiguration& c) { c.accelerators.pop_back(); },
               false},
        Change{"Shortlist", [](config::BerthConfiguration& c) { c.extender.shortlist.size = 8; },
               false},
        Change{"Planner", [](config::BerthConfiguration& c) { c.planner.schedulers = {"other"}; },
               false},
        Change{"Lease", [](config::BerthConfiguration& c) { c.controller.lease.name = "x"; },
               false},
        Change{"Taints", [](config::BerthConfiguration& c) { c.controller.taints = true; }, false},
        Change{"Prometheus",
               [](config::BerthConfiguration& c) { c.prometheus.url = "http://prometheus:9090"; },
               false},
        Change{"Idle", [](config::BerthConfiguration& c) { c.idle.below = 1; }, false},
        Change{"Listen", [](config::BerthConfiguration& c) { c.extender.listen = ":1"; }, true},
        Change{"AdmissionPolicies",
               [](config::BerthConfiguration& c) {
                 c.admission.judgement.templates = {{"g", "Kind", "/spec/template"}};
               },
               false},
        Change{"AdmissionAddress", [](config::BerthConfiguration& c) { c.admission.listen = ":1"; },
               true},
        Change{"Certificate", [](config::BerthConfiguration& c) { c.extender.tls.cert_file = "x"; },
               true},
        Change{"BodyLimit", [](config::BerthConfiguration& c) { c.extender.max_body_bytes += 1; },
               true},
        Change{"ApiServer", [](config::BerthConfiguration& c) { c.kubernetes.kubeconfig = "k"; },
               true}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace berth::process
