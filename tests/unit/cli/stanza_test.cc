#include "cli/stanza.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/scheduler_config.h"
#include "yaml/document.h"
#include "yaml/json.h"

namespace berth::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// As kube-scheduler would read it, below the head that a stanza leaves to its file.
doctor::SchedulerConfig ReadStanza(const StanzaOptions& options) {
  const yaml::YamlDocuments yaml =
      yaml::ParseYaml("kind: KubeSchedulerConfiguration\n" + StanzaYaml(options), "stanza");
  EXPECT_TRUE(yaml.errors.empty()) << yaml::ToString(yaml.errors);
  const auto config =
      doctor::SchedulerConfigFromJson(yaml::JsonTextOf(yaml.documents.at(0)), "stanza");
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *config : doctor::SchedulerConfig();
}

TEST(Stanza, IsWhatDoctorIsContentWith) {
  const doctor::SchedulerConfig config = ReadStanza({.url = "https://10.96.0.7:443",
                                                     .authorities = "PEM",
                                                     .resources = {"nvidia.com/gpu", "a.b/c"},
                                                     .ignorable = true});
  EXPECT_EQ(config.percentage, std::nullopt) << "the controller looks at all nodes";
  ASSERT_EQ(config.profiles.size(), 1U);
  EXPECT_EQ(config.profiles[0].name, "default-scheduler");
  EXPECT_EQ(config.profiles[0].candidate_percentage, 100);
  const doctor::ExtenderEntry expected{.url_prefix = "https://10.96.0.7:443",
                                       .filter_verb = "filter",
                                       .prioritize_verb = "prioritize",
                                       .preempt_verb = "preempt",
                                       .weight = 31,
                                       .enable_https = true,
                                       .ca_data = "PEM",
                                       .node_cache_capable = true,
                                       .ignorable = true,
                                       .managed_resources = {{"nvidia.com/gpu"}, {"a.b/c"}}};
  ASSERT_EQ(config.extenders.size(), 1U);
  EXPECT_EQ(config.extenders[0], expected);
}

TEST(Stanza, HasANameThatTheCertificateHas) {
  EXPECT_THAT(StanzaYaml({.url = "https://10.96.0.7:443",
                          .authorities = "PEM",
                          .server_name = "berth-extender.berth-system.svc"}),
              HasSubstr("\n    serverName: berth-extender.berth-system.svc\n"));
  EXPECT_THAT(StanzaYaml({.url = "https://h:1", .authorities = "PEM"}),
              Not(HasSubstr("serverName")));
}

TEST(Stanza, IsNotIgnorableUnlessToldSo) {
  EXPECT_THAT(StanzaYaml({.url = "https://h:1", .authorities = "PEM"}),
              HasSubstr("ignorable: false"));
}

// What belongs into other parts of the file, and what only some need, is in comments.
TEST(Stanza, SaysWhatElseToWrite) {
  for (const char* part : {"# percentageOfNodesToScore: 100\n", "planner.schedulers",
                           "# clientConnection: {qps: 1000, burst: 2000}\n"}) {
    EXPECT_THAT(StanzaYaml({.url = "https://h:1", .authorities = "PEM"}), HasSubstr(part));
  }
}

TEST(Stanza, ShowsACertificateWhereItIsTold) {
  StanzaOptions options{.url = "https://h:1", .authorities = "PEM"};
  EXPECT_THAT(StanzaYaml(options), Not(HasSubstr("certFile")));
  options.certificate_file = "/etc/kubernetes/pki/a b.crt";
  options.key_file = "/etc/kubernetes/pki/berth.key";
  EXPECT_THAT(StanzaYaml(options), HasSubstr("    certFile: \"/etc/kubernetes/pki/a b.crt\"\n"
                                             "    keyFile: \"/etc/kubernetes/pki/berth.key\"\n"));
  EXPECT_EQ(ReadStanza(options).extenders.at(0).ca_data, "PEM");
}

TEST(Stanza, WithoutTlsHasNone) {
  const doctor::SchedulerConfig config = ReadStanza({.url = "http://127.0.0.1:8443"});
  EXPECT_FALSE(config.extenders.at(0).enable_https);
  EXPECT_EQ(config.extenders.at(0).ca_data, "");
}

TEST(HttpsUrl, BracketsIpv6) {
  EXPECT_EQ(HttpsUrl("10.96.0.7"), "https://10.96.0.7:443");
  EXPECT_EQ(HttpsUrl("fd00::7"), "https://[fd00::7]:443");
}

TEST(ValidateExtenderUrl, SaysWhatToWrite) {
  for (const char* good :
       {"https://h", "https://10.0.0.1:443", "https://[::1]:8443/", "http://127.0.0.1:1"}) {
    EXPECT_TRUE(ValidateExtenderUrl("--url", good).ok()) << good;
  }
  const std::pair<const char*, const char*> cases[] = {
      {"h:443", "--url: no https:// in front in \"h:443\"; write https://HOST:PORT"},
      {"http://10.0.0.1:80", "plain http to another machine"},
      {"https://h/filter", "has a path, but Berth serves at the root"},
      {"https://h:0", "not a port"},
  };
  for (const auto& [url, error] : cases) {
    const absl::Status status = ValidateExtenderUrl("--url", url);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << url;
    EXPECT_THAT(std::string(status.message()), HasSubstr(error));
  }
}

}  // namespace
}  // namespace berth::cli
