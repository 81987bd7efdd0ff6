#include "kube/server_url.h"

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

TEST(ServerUrl, IsTakenApart) {
  struct Case {
    const char* url;
    bool tls;
    const char* host;
    const char* port;
    const char* base_path;
  };
  const Case cases[] = {
      {"https://10.0.0.1:6443", true, "10.0.0.1", "6443", ""},
      {"https://10.0.0.1:6443/", true, "10.0.0.1", "6443", ""},
      {"https://api.example.com", true, "api.example.com", "443", ""},
      {"https://[fd00::1]:6443", true, "fd00::1", "6443", ""},
      {"https://[::1]", true, "::1", "443", ""},
      {"https://rancher.example.com/k8s/clusters/c-1/", true, "rancher.example.com", "443",
       "/k8s/clusters/c-1"},
      {"http://127.0.0.1:8001", false, "127.0.0.1", "8001", ""},
      {"http://localhost", false, "localhost", "80", ""},
      {"http://[::1]:8001", false, "::1", "8001", ""},
  };
  for (const Case& c : cases) {
    ApiConfig config;
    const absl::Status status = ParseServerUrl(c.url, config);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(config.tls, c.tls) << c.url;
    EXPECT_EQ(config.host, c.host) << c.url;
    EXPECT_EQ(config.port, c.port) << c.url;
    EXPECT_EQ(config.base_path, c.base_path) << c.url;
  }
}

TEST(HttpUrl, MayBePlain) {
  ApiConfig config;
  ASSERT_TRUE(ParseHttpUrl("http://prometheus.monitoring:9090/prometheus/", config).ok());
  EXPECT_FALSE(config.tls);
  EXPECT_EQ(config.host, "prometheus.monitoring");
  EXPECT_EQ(config.port, "9090");
  EXPECT_EQ(config.base_path, "/prometheus");
  EXPECT_FALSE(ParseHttpUrl("prometheus:9090", config).ok());
}

TEST(ServerUrl, IsRefusedWithWhatToWrite) {
  const char* const urls[] = {
      "",
      "10.0.0.1:6443",
      "ftp://10.0.0.1",
      "https://",
      "https://:6443",
      "https://[::1",
      "https://[::1]6443",
      "https://host:",
      "https://host:0",
      "https://host:65536",
      "https://host:http",
      "https://fd00::1:6443",
      "https://user:secret@host",
      "https://host/?a=b",
      "https://host/#a",
      "https://host/a b",
      "https://host\r\nX: y",
      "http://10.0.0.1:8080",
      "http://127.example.com",
      "http://localhost.example.com",
  };
  for (const char* url : urls) {
    ApiConfig config;
    const absl::Status status = ParseServerUrl(url, config);
    EXPECT_FALSE(status.ok()) << url;
    EXPECT_NE(status.message().find("write https://HOST:PORT"), absl::string_view::npos) << status;
  }
}

TEST(ServerUrl, IsRefusedWithoutItsPassword) {
  for (const char* url :
       {"https://me:secret@host", "https://me:secret@host:99999", "https://me:/secret@host",
        "https://me:secret@@host/?a=b", "http://me:secret@host", "me:secret@host"}) {
    for (const auto parse : {ParseServerUrl, ParseHttpUrl}) {
      ApiConfig config;
      const absl::Status status = parse(url, config);
      ASSERT_FALSE(status.ok()) << url;
      EXPECT_EQ(status.message().find("secret"), absl::string_view::npos) << status;
      EXPECT_NE(status.message().find("\"host"), absl::string_view::npos) << status;
    }
  }
}

}  // namespace
}  // namespace berth::kube
