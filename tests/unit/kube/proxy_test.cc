#include "kube/proxy.h"

#include <map>

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

Environment With(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

ApiConfig Server(const std::string& host) {
  ApiConfig config;
  config.host = host;
  config.port = "6443";
  return config;
}

/// "host:port" of the proxy that is used; empty: none.
std::string ProxyOf(const Environment& environment, const std::string& host = "api.example.com") {
  ApiConfig config = Server(host);
  const absl::Status status = UseProxyOf(environment, config);
  EXPECT_TRUE(status.ok()) << status;
  return config.proxy ? config.proxy->host + ':' + config.proxy->port : "";
}

TEST(Proxy, ComesFromTheEnvironmentInEitherCase) {
  EXPECT_EQ(ProxyOf(With({})), "");
  EXPECT_EQ(ProxyOf(With({{"HTTPS_PROXY", "http://proxy:3128"}})), "proxy:3128");
  EXPECT_EQ(ProxyOf(With({{"https_proxy", "http://proxy:3128"}})), "proxy:3128");
  EXPECT_EQ(ProxyOf(With({{"HTTPS_PROXY", "http://upper"}, {"https_proxy", "http://lower"}})),
            "upper:80");
  // That one is for plain HTTP, which Berth speaks to loopback alone.
  EXPECT_EQ(ProxyOf(With({{"HTTP_PROXY", "http://proxy:3128"}})), "");
}

TEST(Proxy, IsNeverAskedForLoopback) {
  for (const char* host : {"localhost", "127.0.0.1", "127.8.9.1", "::1"}) {
    EXPECT_EQ(ProxyOf(With({{"HTTPS_PROXY", "http://proxy"}}), host), "") << host;
  }
}

TEST(Proxy, OfTheKubeconfigStays) {
  ApiConfig config = Server("api.example.com");
  ASSERT_TRUE(ParseProxyUrl("http://own:1", config).ok());
  ASSERT_TRUE(UseProxyOf(With({{"HTTPS_PROXY", "http://other:2"}}), config).ok());
  EXPECT_EQ(config.proxy->host, "own");
}

TEST(Proxy, ItsUrlIsTakenApart) {
  struct Case {
    const char* url;
    const char* host;
    const char* port;
    const char* credentials;
  };
  for (const Case& c : {
           Case{"http://proxy", "proxy", "80", ""},
           Case{"http://proxy:3128/", "proxy", "3128", ""},
           Case{"proxy:3128", "proxy", "3128", ""},
           Case{"10.0.0.1:8080", "10.0.0.1", "8080", ""},
           Case{"http://[fd00::1]:8080", "fd00::1", "8080", ""},
           Case{"http://[fd00::1]", "fd00::1", "80", ""},
           Case{"http://user:pa:ss@proxy:1", "proxy", "1", "user:pa:ss"},
           Case{"http://user:p%40ss@proxy:3128", "proxy", "3128", "user:p@ss"},
           Case{"http://us%2Fer:%25%3a+%e2%82%ac@proxy", "proxy", "80", "us/er:%:+\xe2\x82\xac"},
       }) {
    ApiConfig config;
    const absl::Status status = ParseProxyUrl(c.url, config);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(config.proxy->host, c.host) << c.url;
    EXPECT_EQ(config.proxy->port, c.port) << c.url;
    EXPECT_EQ(config.proxy->credentials, c.credentials) << c.url;
  }
}

TEST(Proxy, OfAnotherKindIsRefusedWithoutItsPassword) {
  for (const char* url : {"https://u:secret@proxy", "socks5://u:secret@proxy", "http://u:secret@",
                          "http://u:secret@proxy:99999", "http://u:secret@:80",
                          "u:secret://x@proxy", "u:secret@proxy://"}) {
    ApiConfig config = Server("api.example.com");
    const absl::Status status = UseProxyOf(With({{"HTTPS_PROXY", url}}), config);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << url;
    const std::string message(status.message());
    EXPECT_EQ(message.rfind("HTTPS_PROXY: proxy \"", 0), 0U) << message;
    EXPECT_NE(message.find("write http://HOST:PORT"), std::string::npos) << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  }
}

TEST(Proxy, ABrokenEscapeIsRefusedWithoutItsPassword) {
  for (const char* password : {"secret%", "secret%4", "secret%zz", "%-1secret", "%0xsecret"}) {
    ApiConfig config = Server("api.example.com");
    const std::string url = std::string("http://u:") + password + "@proxy:3128";
    const absl::Status status = UseProxyOf(With({{"HTTPS_PROXY", url}}), config);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << url;
    EXPECT_EQ(status.message(),
              "HTTPS_PROXY: proxy \"proxy:3128\": the user or the password has a % without two "
              "hexadecimal digits after it; write %25 for a percent sign in them, or name the API "
              "server in NO_PROXY");
    EXPECT_FALSE(config.proxy) << url;
  }
}

TEST(NoProxy, NamesHostsDomainsNetworksAndPorts) {
  struct Case {
    const char* no_proxy;
    const char* host;
    bool exempt;
  };
  for (const Case& c : {
           Case{"", "api.example.com", false},
           Case{"*", "api.example.com", true},
           Case{"example.com", "api.example.com", true},
           Case{"example.com", "example.com", true},
           Case{"example.com", "badexample.com", false},
           Case{".example.com", "api.example.com", true},
           Case{".example.com", "example.com", false},
           Case{"*.example.com", "api.example.com", true},
           Case{"EXAMPLE.com", "API.example.COM", true},
           Case{"other.org, api.example.com", "api.example.com", true},
           Case{"other.org,,", "api.example.com", false},
           Case{"api.example.com:6443", "api.example.com", true},
           Case{"api.example.com:443", "api.example.com", false},
           Case{"10.0.0.1", "10.0.0.1", true},
           Case{"10.0.0.1:6443", "10.0.0.1", true},
           Case{"10.0.0.1:443", "10.0.0.1", false},
           Case{"10.0.0.0/8", "10.200.3.4", true},
           Case{"10.0.0.0/8", "11.0.0.1", false},
           Case{"10.0.0.0/99", "10.0.0.1", false},
           Case{"0.1", "10.0.0.1", false},
           Case{"fd00::/8", "fd12::1", true},
           Case{"fd00::1", "fd00:0::1", true},
           Case{"[fd00::1]:6443", "fd00::1", true},
           Case{"10.0.0.0/8", "fd12::1", false},
           Case{"10.0.0.0/8", "api.example.com", false},
       }) {
    EXPECT_EQ(IsExemptFromProxy(c.no_proxy, c.host, "6443"), c.exempt)
        << c.no_proxy << " for " << c.host;
    const Environment environment =
        With({{"HTTPS_PROXY", "http://proxy"}, {"no_proxy", c.no_proxy}});
    EXPECT_EQ(ProxyOf(environment, c.host), c.exempt ? "" : "proxy:80") << c.no_proxy;
  }
}

}  // namespace
}  // namespace berth::kube
