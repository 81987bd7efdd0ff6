#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/manifest.h"
#include "cli/mutation.h"
#include "cli/mutation_output.h"
#include "cli/object_names.h"
#include "config/reader.h"
#include "process/engine.h"
#include "yaml/file.h"

namespace berth::cli {

namespace {

// Exit codes besides kExitOk, so that the command can serve as a check. Its help explains them.
constexpr int kExitChanges = 1;
constexpr int kExitDenied = 2;

struct MutateOptions {
  std::string file;
  std::string config;
  std::string mode = "enforce";
  std::string namespace_name = "default";
  bool accelerator_nodes_allowed = false;
  policies::admission::User user;
  std::string output = "diff";
  bool strict = false;
};

Creation CreationOf(const MutateOptions& options) {
  const bool enforces = options.mode == "enforce";
  return {.namespace_name = options.namespace_name,
          .rules = {.mode = enforces ? policies::admission::Mode::kEnforce
                                     : policies::admission::Mode::kWarn,
                    .accelerator_nodes_allowed = options.accelerator_nodes_allowed},
          .user = options.user};
}

std::string OutputOf(const Manifest& manifest, const std::vector<Preview>& previews,
                     const MutateOptions& options) {
  if (options.output == "yaml") return MutationYaml(manifest, previews);
  if (options.output == "patch") return MutationPatches(manifest, previews);
  return MutationDiff(manifest, previews, yaml::DisplayName(options.file));
}

int ExitOf(const std::vector<Preview>& previews, bool strict) {
  const auto denied = [strict](const Preview& preview) {
    const bool unseen = strict && !preview.not_reviewed.empty();
    return unseen || !preview.denial.empty() || preview.pods_denied;
  };
  if (std::ranges::any_of(previews, denied)) return kExitDenied;
  const auto changes = [](const Preview& preview) { return !preview.patch.empty(); };
  return std::ranges::any_of(previews, changes) ? kExitChanges : kExitOk;
}

int Mutate(const MutateOptions& options) {
  config::ConfigReading reading;
  if (!options.config.empty()) reading = config::ReadConfig(options.config);
  if (!reading.ok()) return Fail(reading.errors);
  const Manifest manifest = ReadManifest(options.file);
  if (!manifest.errors.empty()) return Fail(manifest.errors);
  const std::vector<Preview> previews =
      PreviewsOf(manifest, *process::MakeReviewer(reading.config), CreationOf(options));
  fmt::print(stderr, "{}", MutationRemarks(manifest, previews, yaml::DisplayName(options.file)));
  fmt::print("{}", OutputOf(manifest, previews, options));
  return ExitOf(previews, options.strict);
}

}  // namespace

void AddMutateCommand(Command berth) {
  Command mutate = berth.AddCommand(
      "mutate", "Show how the admission webhook would change the objects in a file");
  const auto options = std::make_shared<MutateOptions>();
  mutate
      .AddOption("-f,--filename", options->file,
                 "Manifest of pods, Jobs and objects with pod templates; - for standard input")
      .Required();
  mutate.AddOption("--config", options->config,
                   "Configuration of `berth admission` (default: built in)");
  mutate.AddOption("--mode", options->mode, "Mode of the namespace, as in its label admission")
      .OneOf({"enforce", "warn"});
  mutate.AddOption("-n,--namespace", options->namespace_name, "Namespace of objects that name none")
      .Checked(CheckNamespaceName);
  mutate.AddFlag("--allow-accelerator-nodes", options->accelerator_nodes_allowed,
                 "The namespace is labelled allow-accelerator-nodes");
  const Argument as = mutate.AddOption("--as", options->user.name,
                                       "User who creates the objects (default: not recorded)");
  mutate
      .AddRepeatable("--as-group", options->user.groups,
                     "Group of that user, as in kubectl; may be given several times")
      .Needs(as);
  mutate
      .AddOption("-o,--output", options->output,
                 "diff: what changes; yaml: all documents as they would be; patch: a line of JSON "
                 "for each object that changes")
      .OneOf({"diff", "yaml", "patch"});
  mutate.AddFlag("--strict", options->strict,
                 "Exit with 2 if an object is not reviewed, because Berth does not know its kind");
  mutate.Footer(
      "Exit codes: 0 nothing would change; 1 something would; 2 something, or the pods of a\n"
      "template, would be denied, or the file cannot be read. Warnings, denials and objects that\n"
      "are not reviewed go to standard error, with file and line.");
  mutate.Run([options] { return Mutate(*options); });
}

}  // namespace berth::cli
