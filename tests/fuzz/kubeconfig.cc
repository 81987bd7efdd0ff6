// A kubeconfig, with the plugin by which it has people log in. What cannot be used is blamed on the
// file, and servers run no plugin, whatever it says.
#include "kube/kubeconfig.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "kube/exec_section.h"
#include "kube/kubeconfig_section.h"
#include "kube/server_url.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;

/// The file that holds the inputs, one after the other. It is in memory, because a disk would have
/// to write each of them. It has a folder of its own, where the relative paths of an input find
/// nothing else.
class InputFile {
 public:
  InputFile() {
    fuzz::Require(memory_ >= 0 && ::mkdtemp(folder_.data()) != nullptr, "there is a file");
    path_ = folder_ + "/config";
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(memory_), path_);
    // To read the authorities of the system would take nearly all of the time.
    ::setenv("SSL_CERT_FILE", (folder_ + "/none").c_str(), 1);
  }
  ~InputFile() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    ::close(memory_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }

  void Write(std::string_view text) const {
    const bool written =
        ::ftruncate(memory_, 0) == 0 &&
        ::pwrite(memory_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    fuzz::Require(written, "an input is written");
  }

 private:
  const int memory_ = ::memfd_create("kubeconfig", MFD_CLOEXEC);
  std::string folder_ = (std::filesystem::temp_directory_path() / "berth_fuzz_XXXXXX").string();
  std::string path_;
};

/// Of what reads the file at `path`: it works, or names the file and says what is wrong with it. A
/// person's file is quoted as it is, so that the sentence may be as long as what the person wrote.
void CheckBlame(const absl::Status& status, const std::string& path) {
  if (status.ok()) return;
  fuzz::Require(absl::IsInvalidArgument(status), "the file is to blame");
  fuzz::Require(std::string(status.message()).starts_with(path + ":"), "the file is named");
}

void CheckConfig(const kube::ApiConfig& config) {
  fuzz::Require(!config.host.empty() && kube::IsPort(config.port), "there is a server");
  fuzz::Require(config.tls || kube::IsLoopbackHost(config.host), "no network hears it in clear");
  fuzz::Require(!config.insecure_skip_tls_verify || !config.certificate_authority.given(),
                "an authority is asked");
  fuzz::Require(config.client_certificate.given() == config.client_key.given(),
                "a certificate has its key");
  fuzz::Require(!config.exec || !(config.token.given() || config.client_certificate.given()),
                "no plugin is run where it is not needed");
  if (!config.proxy) return;
  fuzz::Require(!config.proxy->host.empty() && kube::IsPort(config.proxy->port),
                "a proxy has an address");
}

void CheckContext(const std::string& path) {
  const auto of_person = kube::LoadKubeconfig(path, {}, kube::ExecPlugins::kRun);
  const auto of_server = kube::LoadKubeconfig(path);
  CheckBlame(of_person.status(), path);
  CheckBlame(of_server.status(), path);
  if (of_person.ok()) CheckConfig(*of_person);
  if (!of_server.ok()) return;
  fuzz::Require(of_person.ok(), "what servers can use people can use");
  CheckConfig(*of_server);
  fuzz::Require(!of_server->exec, "servers run no plugin");
}

/// The plugin of the current context, as it would be run for people.
void CheckPlugin(const std::string& path) {
  const auto files = kube::KubeconfigFiles::Read({path});
  if (!files.ok()) return;
  absl::Status status;
  const kube::Section context = files->Context("", status);
  if (!status.ok()) return;
  const kube::Section cluster =
      files->Named("clusters", "cluster", context.Text("cluster"), "context.cluster", status);
  const kube::Section user =
      files->Named("users", "user", context.Text("user"), "context.user", status);
  if (!status.ok() || !user.Has("exec")) return;
  const kube::ExecPlugin plugin = kube::ReadExecSection(user, cluster);
  CheckBlame(status, path);
  if (!status.ok()) return;
  fuzz::Require(!plugin.command.empty(), "there is something to run");
  const auto& [name, value] = plugin.environment.back();
  fuzz::Require(name == "KUBERNETES_EXEC_INFO", "a plugin is told what is wanted");
  fuzz::Require(nlohmann::json::accept(value), "which is JSON");
}

void CheckNames(const std::string& path) {
  CheckBlame(kube::NamespaceIn(path).status(), path);
  const auto names = kube::ContextsOf(path);
  CheckBlame(names.status(), path);
  if (!names.ok()) return;
  for (const std::string& name : *names) fuzz::Require(!name.empty(), "a context has a name");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFile file;
  file.Write(fuzz::TextOf(data, size));
  CheckContext(file.path());
  CheckPlugin(file.path());
  CheckNames(file.path());
  return 0;
}
