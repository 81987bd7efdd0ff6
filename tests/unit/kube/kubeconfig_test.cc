#include "kube/kubeconfig.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <filesystem>
#include <map>
#include <memory>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/integration/test_pki.h"

namespace berth::kube {
namespace {

using berth::tests::TempDir;
using berth::tests::TestCa;

// Nobody has its pass phrase, and there is no certificate in it.
constexpr char kEncryptedCertificate[] =
    "-----BEGIN CERTIFICATE-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n"
    "\n"
    "MDEyMzQ1Njc4OUFCQ0RFRg==\n"
    "-----END CERTIFICATE-----\n";

/// A private key as it is written with a pass phrase.
std::string WithPassPhrase(const std::string& key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(
      BIO_new_mem_buf(key.data(), static_cast<int>(key.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> parsed(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PKCS8PrivateKey(out.get(), parsed.get(), EVP_aes_256_cbc(), "open sesame", 11,
                                nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string Base64(const std::string& text) { return absl::Base64Escape(text); }

/// A kubeconfig with these fields of the cluster and the user in YAML's flow style.
std::string File(const std::string& cluster, const std::string& user) {
  return "current-context: c\n"
         "contexts: [{name: other, context: {}}, {name: c, context: {cluster: k, user: u}}]\n"
         "clusters: [{name: k, cluster: {" +
         cluster +
         "}}]\n"
         "users: [{name: u, user: {" +
         user + "}}]\n";
}

class Kubeconfig : public ::testing::Test {
 protected:
  Kubeconfig() {
    folder_.Write("ca.crt", ca_.certificate());
    folder_.Write("client.crt", client_.certificate);
    folder_.Write("client.key", client_.key);
    folder_.Write("token", "from-file\n");
  }

  absl::StatusOr<ApiConfig> Load(const std::string& text) {
    path_ = folder_.Write("config", text);
    return LoadKubeconfig(path_);
  }

  ApiConfig MustLoad(const std::string& text) {
    absl::StatusOr<ApiConfig> config = Load(text);
    EXPECT_TRUE(config.ok()) << config.status();
    return config.ok() ? *config : ApiConfig();
  }

  /// The error names the file and has `part` in it.
  void ExpectError(const std::string& text, const std::string& part) {
    const absl::StatusOr<ApiConfig> config = Load(text);
    ASSERT_FALSE(config.ok()) << part;
    const std::string message(config.status().message());
    EXPECT_EQ(message.rfind(path_ + ":", 0), 0u) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  const TestCa ca_;
  const berth::tests::PemPair client_ =
      ca_.Issue({.use = berth::tests::LeafUse::kClient, .names = {}});
  const TempDir folder_;
  std::string path_;
};

constexpr char kServer[] = "server: 'https://10.0.0.1:6443'";

TEST_F(Kubeconfig, ReadsTheCurrentContext) {
  const ApiConfig config = MustLoad(
      File(std::string(kServer) + ", certificate-authority: ca.crt, tls-server-name: kubernetes",
           "client-certificate: client.crt, client-key: client.key"));
  EXPECT_EQ(config.host, "10.0.0.1");
  EXPECT_EQ(config.port, "6443");
  EXPECT_TRUE(config.tls);
  EXPECT_FALSE(config.insecure_skip_tls_verify);
  EXPECT_EQ(config.tls_server_name, "kubernetes");
  EXPECT_EQ(*config.certificate_authority.Read(), ca_.certificate()) << "relative to the file";
  EXPECT_EQ(*config.client_certificate.Read(), client_.certificate);
  EXPECT_EQ(*config.client_key.Read(), client_.key);
  EXPECT_FALSE(config.token.given());
}

TEST_F(Kubeconfig, TheContextsNamespaceIsThatOfWhoeverAsksForNone) {
  std::string text = File(kServer, "");
  EXPECT_EQ(*NamespaceIn(folder_.Write("config", text)), "");
  text.replace(text.find("cluster: k, user: u"), 0, "namespace: ml, ");
  const std::string file = folder_.Write("config", text);
  EXPECT_EQ(*NamespaceIn(file), "ml");
  EXPECT_EQ(*NamespaceIn(file, "other"), "");
  EXPECT_FALSE(NamespaceIn(file, "missing").ok());
}

TEST_F(Kubeconfig, TellsItsContexts) {
  const auto names = ContextsOf(folder_.Write("config", File(kServer, "")));
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(*names, (std::vector<std::string>{"other", "c"}));
  EXPECT_FALSE(ContextsOf("/nonexistent").ok());
  EXPECT_FALSE(ContextsOf(folder_.Write("config", "contexts: [")).ok());
}

TEST_F(Kubeconfig, DataGoesBeforeFiles) {
  const ApiConfig config = MustLoad(File(
      std::string(kServer) + ", certificate-authority: /missing, certificate-authority-data: " +
          Base64(ca_.certificate()),
      "client-certificate-data: " + Base64(client_.certificate) +
          ", client-key-data: " + Base64(client_.key)));
  EXPECT_EQ(*config.certificate_authority.Read(), ca_.certificate());
  EXPECT_EQ(*config.client_key.Read(), client_.key);
}

TEST_F(Kubeconfig, ATokensFileGoesBeforeItsTextAndIsReadAgain) {
  const ApiConfig config = MustLoad(File(kServer, "token: text, tokenFile: token"));
  EXPECT_EQ(*config.token.Read(), "from-file\n");
  folder_.Write("token", "rotated");
  EXPECT_EQ(*config.token.Read(), "rotated");
  EXPECT_EQ(*MustLoad(File(kServer, "token: text")).token.Read(), "text");
}

TEST_F(Kubeconfig, AContextMayBeChosen) {
  const std::string path = folder_.Write("contexts",
                                         "contexts: [{name: mine, context: {cluster: k}}]\n"
                                         "clusters: [{name: k, cluster: {server: 'https://k'}}]\n");
  EXPECT_EQ(LoadKubeconfig(path, "mine")->host, "k");
  const absl::Status status = LoadKubeconfig(path, "yours").status();
  EXPECT_NE(status.message().find("the context asked for names \"yours\""), absl::string_view::npos)
      << status;
}

TEST_F(Kubeconfig, InsecureIsTakenAtItsWord) {
  EXPECT_TRUE(MustLoad(File(std::string(kServer) + ", insecure-skip-tls-verify: true", ""))
                  .insecure_skip_tls_verify);
}

TEST_F(Kubeconfig, ErrorsNameTheFieldAndWhatToWrite) {
  const std::string server = kServer;
  struct Case {
    std::string text;
    const char* part;
  };
  const Case cases[] = {
      {"", "current-context is not set"},
      {"current-context: x\n", "current-context names \"x\", which is not in contexts"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n",
       "contexts[\"c\"].context.cluster names \"k\""},
      {"a: [\n", ":2: "},
      {"current-context: [a]\n", "expected text"},
      {File("", ""), "clusters[\"k\"].cluster.server has no https://"},
      {File("server: 'http://10.0.0.1'", ""), "plain http to another machine"},
      {File(server + ", proxy-url: 'socks5://p'", ""),
       "proxy-url names proxy \"socks5://p\": Berth speaks to proxies by plain HTTP (CONNECT)"},
      {File(server + ", insecure-skip-tls-verify: maybe", ""), "expected true or false"},
      {File(server + ", insecure-skip-tls-verify: true, certificate-authority: ca.crt", ""),
       "contradicts certificate-authority"},
      {File(server + ", certificate-authority: missing.crt", ""), "certificate-authority cannot"},
      {File(server + ", certificate-authority-data: '!'", ""),
       "certificate-authority-data is not base64"},
      {File(server + ", certificate-authority: token", ""), "token cannot be used: no start line"},
      {File(server, "exec: {command: aws}"), "users[\"u\"].user.exec is set, but Berth cannot"},
      {File(server, "auth-provider: {name: gcp}"), "give token, tokenFile, or client-certificate"},
      {File(server, "username: me, password: secret"), "users[\"u\"].user.username"},
      {File(server, "as: admin"), "does not impersonate users"},
      {File(server, "client-certificate: client.crt"), "only one of client-certificate"},
      {File(server, "client-certificate: client.crt, client-key: token"), "cannot be used"},
      {File(server, "tokenFile: missing"), "users[\"u\"].user.tokenFile cannot read"},
  };
  for (const Case& c : cases) ExpectError(c.text, c.part);
}

// A few bytes of YAML may stand for more than there is memory.
TEST_F(Kubeconfig, WhatIsTooMuchIsRefused) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    laughs += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n",
                          i, i - 1);
  }
  const std::string plugin =
      "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1, provideClusterInfo: true}";
  const std::string for_plugin =
      std::string(kServer) + ", extensions: [{name: client.authentication.k8s.io/exec, extension: ";
  ExpectError(File(for_plugin + "&a {b: *a}}]", plugin),
              "extension.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b");
  ExpectError(File(for_plugin + "&a {b: *a}}]", plugin), "is nested deeper than 64 levels");
  ExpectError(laughs + File(for_plugin + "*a8}]", plugin), "has more than 200000 values");
  ExpectError("#" + std::string(std::size_t{1} << 20, ' ') + "\n" + File(kServer, ""),
              "is longer than 1048576 bytes");
}

TEST_F(Kubeconfig, AKeyThatStandsTwiceIsRefused) {
  ExpectError(File(kServer, "token: mine, token: yours"),
              ":4: users[0].user.token: is given in line 4 already; keep one");
}

TEST_F(Kubeconfig, WhatFollowsTheFirstDocumentDoesNotCount) {
  EXPECT_EQ(MustLoad("---\n" + File(kServer, "") + "---\ncurrent-context: other\n").host,
            "10.0.0.1");
}

TEST_F(Kubeconfig, WhatIsEncryptedIsRefusedAndNobodyIsAskedForThePassPhrase) {
  folder_.Write("encrypted.crt", kEncryptedCertificate);
  const std::string key = WithPassPhrase(client_.key);
  folder_.Write("encrypted.key", key);
  const std::string server = kServer;
  const std::string why = " cannot be used: it is encrypted; write it without a pass phrase";
  ExpectError(File(server + ", certificate-authority: encrypted.crt", ""), "encrypted.crt" + why);
  ExpectError(File(server + ", certificate-authority-data: " +
                       Base64(ca_.certificate() + kEncryptedCertificate),
                   ""),
              "certificate-authority of the kubeconfig" + why);
  ExpectError(File(server, "client-certificate: encrypted.crt, client-key: client.key"),
              "encrypted.crt" + why);
  ExpectError(File(server, "client-certificate: client.crt, client-key: encrypted.key"),
              "encrypted.key" + why);
  // A key beside an authority's certificate is not used, so that it may be encrypted.
  folder_.Write("both.crt", key + ca_.certificate() + key);
  EXPECT_TRUE(Load(File(server + ", certificate-authority: both.crt", "")).ok());
}

TEST_F(Kubeconfig, AKeyOfAnotherCertificateIsRefused) {
  folder_.Write("other.key", ca_.Issue().key);
  ExpectError(File(kServer, "client-certificate: client.crt, client-key: other.key"),
              "other.key cannot be used: key values mismatch");
}

TEST_F(Kubeconfig, SecretsAreNotInErrors) {
  for (const std::string& text :
       {File(kServer, "username: me, password: secret"), File("server: 'https://me:secret@k'", ""),
        File(std::string(kServer) + ", proxy-url: 'socks5://me:secret@p'", "")}) {
    const absl::StatusOr<ApiConfig> config = Load(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.status().message().find("secret"), absl::string_view::npos) << config.status();
  }
}

TEST_F(Kubeconfig, AMissingFileIsNamed) {
  const absl::StatusOr<ApiConfig> config = LoadKubeconfig("/missing/config");
  EXPECT_TRUE(absl::IsNotFound(config.status())) << config.status();
  EXPECT_NE(config.status().message().find("/missing/config"), absl::string_view::npos);
}

Environment Variables(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

TEST_F(Kubeconfig, InClusterCredentialsAreTheServiceAccounts) {
  const auto config = LoadInCluster(
      Variables({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}}),
      folder_.path().string());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->host, "fd00::1");
  EXPECT_EQ(config->port, "443");
  EXPECT_TRUE(config->tls);
  EXPECT_EQ(*config->certificate_authority.Read(), ca_.certificate());
  EXPECT_EQ(*config->token.Read(), "from-file\n");
}

TEST_F(Kubeconfig, OutsideOfAClusterTheErrorSaysWhatToGive) {
  const absl::Status status = FindApiConfig("", Variables({})).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_NE(status.message().find("name a kubeconfig file"), absl::string_view::npos) << status;
}

TEST_F(Kubeconfig, APortThatIsNoneIsRefused) {
  const absl::Status status = LoadInCluster(Variables({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                       {"KUBERNETES_SERVICE_PORT", "tcp://x"}}),
                                            folder_.path().string())
                                  .status();
  EXPECT_NE(status.message().find("KUBERNETES_SERVICE_PORT"), absl::string_view::npos) << status;
}

TEST_F(Kubeconfig, AFolderIsNoFile) { EXPECT_FALSE(LoadKubeconfig(folder_.path().string()).ok()); }

TEST_F(Kubeconfig, WithoutATokenThePodsSpecIsToBlame) {
  const TempDir empty;
  const absl::Status status =
      LoadInCluster(
          Variables({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}}),
          empty.path().string())
          .status();
  EXPECT_NE(status.message().find("automountServiceAccountToken"), absl::string_view::npos)
      << status;
}

TEST_F(Kubeconfig, TheFlagGoesBeforeTheVariable) {
  const std::string flag = folder_.Write("flag", File("server: 'https://flag'", ""));
  const std::string variable = folder_.Write("variable", File("server: 'https://variable'", ""));
  const Environment environment = Variables({{"KUBECONFIG", variable}});
  EXPECT_EQ(FindApiConfig(flag, environment)->host, "flag");
  EXPECT_EQ(FindApiConfig("", environment)->host, "variable");
}

TEST_F(Kubeconfig, OfSeveralFilesTheFirstThatHasSomethingCounts) {
  const std::string first =
      folder_.Write("first",
                    "contexts: [{name: mine, context: {cluster: k, user: u, namespace: ml}}]\n"
                    "users: [{name: u, user: {token: first}}]\n");
  std::filesystem::create_directory(folder_.path() / "below");
  folder_.Write("below/ca.crt", ca_.certificate());
  const std::string second = folder_.Write(
      "below/second",
      "current-context: mine\n"
      "contexts: [{name: mine, context: {cluster: other}}, {name: yours, context: {}}]\n"
      "clusters: [{name: k, cluster: {server: 'https://k', certificate-authority: ca.crt}}]\n"
      "users: [{name: u, user: {token: second, as: admin}}]\n");
  const Environment environment =
      Variables({{"KUBECONFIG", first + ":/missing/config::" + second}});
  const absl::StatusOr<ApiConfig> config = FindApiConfig("", environment);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->host, "k");
  EXPECT_EQ(*config->token.Read(), "first");
  EXPECT_EQ(config->certificate_authority.path(), (folder_.path() / "below/ca.crt").string())
      << "relative to the file that names it";
  const KubeconfigPaths paths = KubeconfigNamedBy(environment);
  EXPECT_EQ(*NamespaceIn(paths), "ml");
  EXPECT_EQ(*ContextsOf(paths), (std::vector<std::string>{"mine", "yours"}));
}

TEST_F(Kubeconfig, WhereNoneOfSeveralFilesIsThereTheyAreNamed) {
  const absl::Status status = FindApiConfig("", Variables({{"KUBECONFIG", "/a/x:/b/y"}})).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_NE(status.message().find("/b/y"), absl::string_view::npos) << status;
}

TEST_F(Kubeconfig, ABrokenOneOfSeveralFilesIsNamed) {
  const std::string good = folder_.Write("good", File(kServer, ""));
  const std::string bad = folder_.Write("bad", "a: [\n");
  const absl::Status status =
      FindApiConfig("", Variables({{"KUBECONFIG", good + ":" + bad}})).status();
  EXPECT_EQ(status.message().find(bad + ":"), 0u) << status;
}

// Only for people, who run the same program with kubectl.
TEST_F(Kubeconfig, ServersRunNoPlugin) {
  const std::string path = folder_.Write(
      "plugin", File(kServer, "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}"));
  EXPECT_FALSE(LoadKubeconfig(path).ok());
  const absl::StatusOr<ApiConfig> config = FindApiConfig(path, Variables({}));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_NE(config->exec, nullptr);
}

TEST_F(Kubeconfig, ATokenGoesBeforeAPlugin) {
  const std::string path = folder_.Write(
      "plugin",
      File(kServer,
           "token: text, exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}"));
  EXPECT_EQ(FindApiConfig(path, Variables({}))->exec, nullptr);
}

TEST_F(Kubeconfig, ErrorsAboutPluginsNameTheFieldAndWhatToWrite) {
  struct Case {
    const char* exec;
    const char* part;
  };
  const Case cases[] = {
      {"apiVersion: client.authentication.k8s.io/v1",
       "users[\"u\"].user.exec.command is empty; name the program"},
      {"command: aws", "users[\"u\"].user.exec.apiVersion is \"\"; Berth runs plugins of"},
      {"command: aws, apiVersion: client.authentication.k8s.io/v1alpha1",
       "is \"client.authentication.k8s.io/v1alpha1\""},
      {"command: aws, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always",
       "interactiveMode is Always, but Berth gives plugins no terminal"},
      {"command: aws, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Perhaps",
       "interactiveMode is \"Perhaps\"; write Never or IfAvailable"},
      {"command: [aws], apiVersion: client.authentication.k8s.io/v1", "expected text"},
      {"command: aws, apiVersion: client.authentication.k8s.io/v1, args: [[a]]",
       "exec.args has an item that is no text"},
  };
  for (const Case& c : cases) {
    const std::string path =
        folder_.Write("plugin", File(kServer, std::string("exec: {") + c.exec + "}"));
    const absl::Status status = FindApiConfig(path, Variables({})).status();
    EXPECT_EQ(status.message().find(path + ":"), 0u) << status;
    EXPECT_NE(status.message().find(c.part), absl::string_view::npos) << c.part << "\n" << status;
  }
}

}  // namespace
}  // namespace berth::kube
