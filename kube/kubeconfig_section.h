#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/text_source.h"
#include "yaml-cpp/yaml.h"

// What a kubeconfig consists of. Only for the sources that read it: yaml-cpp is in here.

namespace berth::kube {

/// A map in a kubeconfig, which may be absent, with its place for errors. Reading a value as a type
/// that it does not have is an error; `status` keeps the first one, and what is read after it must
/// not be used. A handle.
class Section {
 public:
  Section(const YAML::Node& node, std::string file, std::string path, absl::Status& status)
      : node_(node), file_(std::move(file)), path_(std::move(path)), status_(&status) {}

  /// The file that it is in.
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  const YAML::Node& node() const { return node_; }

  /// Whether it has the key with a value that is not null.
  bool Has(const std::string& key) const;
  /// The map under the key; an absent one if there is none.
  Section Map(const std::string& key) const;
  /// The maps of the list under the key; what else is in it is left out.
  std::vector<Section> Items(const std::string& key) const;
  /// The texts of the list under the key.
  std::vector<std::string> Texts(const std::string& key) const;
  /// The text of the key; empty if it is absent or null.
  std::string Text(const std::string& key) const;
  bool Flag(const std::string& key) const;

  /// `name`-data, which is in base64, or else the file `name`, which is read once to check it.
  TextSource Credential(const std::string& name) const;
  /// The file under the key. Relative paths begin at the kubeconfig's folder.
  TextSource File(const std::string& key) const;
  /// `path` from the kubeconfig's folder.
  std::string Below(const std::string& path) const;

  /// Reports an error about a key, and about the whole section.
  void Fail(const std::string& key, std::string_view what) const;
  void Fail(std::string_view what) const;

 private:
  YAML::Node Value(const std::string& key) const;
  std::string Field(std::string_view key) const;

  YAML::Node node_;
  std::string file_;
  std::string path_;
  absl::Status* status_;
};

/// The files of a kubeconfig. What several of them have counts as the first one has it, as in
/// kubectl (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/).
/// Not thread-safe.
class KubeconfigFiles {
 public:
  /// Reads the files in their order. Those that are not there are left out, unless none is there.
  /// Each keeps the limits of yaml/document.h, so that all of it can be walked, aliases included.
  /// Errors are those of LoadKubeconfig().
  static absl::StatusOr<KubeconfigFiles> Read(const std::vector<std::string>& files);

  /// The context called `name`, or the current one if that is empty.
  Section Context(const std::string& name, absl::Status& status) const;
  /// The section `inner` of the entry called `name` in the list `list`. `named_by` is what names
  /// it, for errors.
  Section Named(const std::string& list, const std::string& inner, const std::string& name,
                const std::string& named_by, absl::Status& status) const;
  /// The names of the entries of a list, each once, in their order.
  std::vector<std::string> Names(const std::string& list, absl::Status& status) const;
  /// All files, for errors: "a:b".
  std::string files() const;

 private:
  struct Root {
    std::string file;
    YAML::Node node;
  };

  std::vector<Root> roots_;
};

}  // namespace berth::kube
