#include "kube/kubeconfig.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "kube/proxy.h"
#include "kube/server_url.h"
#include "kube/tls_client.h"
#include "yaml-cpp/yaml.h"

namespace berth::kube {
namespace {

/// A map in the file and its place, for errors. Its functions throw yaml-cpp's exceptions.
struct Section {
  YAML::Node node;
  std::string path;

  YAML::Node operator[](const std::string& key) const {
    return node.IsMap() ? node[key] : YAML::Node(YAML::NodeType::Undefined);
  }

  /// Returns the text of `key`, or empty if it is absent or null.
  std::string Text(const std::string& key) const {
    const YAML::Node value = (*this)[key];
    if (!value || value.IsNull()) return "";
    if (!value.IsScalar()) throw YAML::Exception(value.Mark(), Field(key) + ": expected text");
    return value.Scalar();
  }

  bool Flag(const std::string& key) const {
    const std::string text = Text(key);
    if (text.empty() || text == "false") return false;
    if (text == "true") return true;
    throw YAML::Exception((*this)[key].Mark(), Field(key) + ": expected true or false");
  }

  std::string Field(std::string_view key) const { return fmt::format("{}.{}", path, key); }
};

class KubeconfigReader {
 public:
  KubeconfigReader(std::string file, std::string context, const YAML::Node& root)
      : file_(std::move(file)), context_(std::move(context)), root_(root) {}

  absl::StatusOr<ApiConfig> Read() {
    const Section context = Context();
    if (!status_.ok()) return status_;
    ReadCluster(Named("clusters", "cluster", context.Text("cluster"), context.Field("cluster")));
    const std::string user = context.Text("user");
    if (!user.empty()) ReadUser(Named("users", "user", user, context.Field("user")));
    if (!status_.ok()) return status_;
    return config_;
  }

  // Empty if the context has none.
  absl::StatusOr<std::string> Namespace() {
    const Section context = Context();
    if (!status_.ok()) return status_;
    return context.Text("namespace");
  }

 private:
  absl::Status Error(std::string_view field, std::string_view what) const {
    return absl::InvalidArgumentError(fmt::format("{}: {} {}", file_, field, what));
  }

  /// Keeps the first error.
  void Fail(const std::string& field, std::string_view what) { status_.Update(Error(field, what)); }

  /// The context that is chosen.
  Section Context() {
    const std::string current = Section{root_, ""}.Text("current-context");
    const std::string& chosen = context_.empty() ? current : context_;
    if (chosen.empty()) {
      Fail("current-context", "is not set; set it with kubectl config use-context NAME");
      return {YAML::Node(), "current-context"};
    }
    return Named("contexts", "context", chosen,
                 context_.empty() ? "current-context" : "the context asked for");
  }

  /// Returns the section `inner` of the entry called `name` in the list `list`. `named_by` is the
  /// field that names it, for errors.
  Section Named(const std::string& list, const std::string& inner, const std::string& name,
                const std::string& named_by) {
    const std::string path = fmt::format("{}[\"{}\"].{}", list, name, inner);
    const YAML::Node entries = Section{root_, ""}[list];
    for (std::size_t i = 0; entries && entries.IsSequence() && i < entries.size(); ++i) {
      const Section entry{entries[i], fmt::format("{}[{}]", list, i)};
      if (entry.Text("name") == name) return {entry[inner], path};
    }
    Fail(named_by, fmt::format("names \"{}\", which is not in {}", name, list));
    return {YAML::Node(), path};
  }

  void Refuse(const Section& section, const std::string& key, std::string_view instead) {
    const YAML::Node value = section[key];
    if (value && !value.IsNull()) Fail(section.Field(key), instead);
  }

  /// Returns `key`-data, which is in base64, or else the file `key`, which is read once to check
  /// it.
  TextSource Credential(const Section& section, const std::string& key) {
    const std::string encoded = section.Text(key + "-data");
    if (!encoded.empty()) {
      std::string text;
      if (!absl::Base64Unescape(encoded, &text))
        Fail(section.Field(key + "-data"), "is not base64");
      return TextSource::Text(text);
    }
    return File(section, key);
  }

  /// Returns the file `key`. Relative paths begin at the kubeconfig's folder.
  TextSource File(const Section& section, const std::string& key) {
    const std::string path = section.Text(key);
    if (path.empty()) return {};
    const auto folder = std::filesystem::path(file_).parent_path();
    TextSource source = TextSource::File((folder / path).string());
    const absl::StatusOr<std::string> text = source.Read();
    if (!text.ok()) Fail(section.Field(key), std::string(text.status().message()));
    return source;
  }

  void ReadCluster(const Section& cluster) {
    if (!status_.ok()) return;
    ReadProxy(cluster);
    const absl::Status parsed = ParseServerUrl(cluster.Text("server"), config_);
    if (!parsed.ok()) Fail(cluster.Field("server"), "has " + std::string(parsed.message()));
    config_.certificate_authority = Credential(cluster, "certificate-authority");
    config_.tls_server_name = cluster.Text("tls-server-name");
    config_.insecure_skip_tls_verify = cluster.Flag("insecure-skip-tls-verify");
    if (config_.insecure_skip_tls_verify && config_.certificate_authority.given()) {
      Fail(cluster.Field("insecure-skip-tls-verify"),
           "contradicts certificate-authority; remove one of them");
    }
  }

  void ReadProxy(const Section& cluster) {
    const std::string url = cluster.Text("proxy-url");
    if (url.empty()) return;
    const absl::Status parsed = ParseProxyUrl(url, config_);
    if (!parsed.ok()) Fail(cluster.Field("proxy-url"), "names " + std::string(parsed.message()));
  }

  void ReadUser(const Section& user) {
    if (!status_.ok()) return;
    constexpr std::string_view kInstead =
        "is set, but Berth cannot use it; give token, tokenFile, or client-certificate and "
        "client-key"
        " (a service account's token will do: kubectl create token)";
    for (const char* key : {"exec", "auth-provider", "username", "password"}) {
      Refuse(user, key, kInstead);
    }
    for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
      Refuse(user, key,
             "is set, but Berth does not impersonate users; give it credentials of its own");
    }
    config_.client_certificate = Credential(user, "client-certificate");
    config_.client_key = Credential(user, "client-key");
    if (config_.client_certificate.given() != config_.client_key.given()) {
      Fail(user.path, "has only one of client-certificate and client-key; give both or none");
    }
    config_.token = File(user, "tokenFile");
    if (!config_.token.given()) config_.token = TextSource::Text(user.Text("token"));
  }

  const std::string file_;
  const std::string context_;
  const YAML::Node root_;
  ApiConfig config_;
  absl::Status status_;
};

// Passes the file's content to `read`, which may throw yaml-cpp's exceptions.
template <typename T>
absl::StatusOr<T> ReadYaml(const std::string& path,
                           const std::function<absl::StatusOr<T>(const YAML::Node&)>& read) {
  const absl::StatusOr<std::string> text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  try {
    return read(YAML::Load(*text));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}: {}", path, error.mark.line + 1, error.msg));
  }
}

}  // namespace

absl::StatusOr<ApiConfig> LoadKubeconfig(const std::string& path, const std::string& context) {
  return ReadYaml<ApiConfig>(path, [&](const YAML::Node& root) -> absl::StatusOr<ApiConfig> {
    absl::StatusOr<ApiConfig> config = KubeconfigReader(path, context, root).Read();
    if (!config.ok() || !config->tls) return config;
    const absl::Status usable = MakeTlsContext(*config).status();
    if (usable.ok()) return config;
    return absl::InvalidArgumentError(fmt::format("{}: {}", path, std::string(usable.message())));
  });
}

absl::StatusOr<std::string> NamespaceIn(const std::string& path, const std::string& context) {
  return ReadYaml<std::string>(path, [&](const YAML::Node& root) -> absl::StatusOr<std::string> {
    return KubeconfigReader(path, context, root).Namespace();
  });
}

absl::StatusOr<std::vector<std::string>> ContextsOf(const std::string& path) {
  using Names = std::vector<std::string>;
  return ReadYaml<Names>(path, [](const YAML::Node& root) -> absl::StatusOr<Names> {
    Names names;
    const YAML::Node entries = Section{root, ""}["contexts"];
    for (std::size_t i = 0; entries && entries.IsSequence() && i < entries.size(); ++i) {
      std::string name = Section{entries[i], fmt::format("contexts[{}]", i)}.Text("name");
      if (!name.empty()) names.push_back(std::move(name));
    }
    return names;
  });
}

}  // namespace berth::kube
