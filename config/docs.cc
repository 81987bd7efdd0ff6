#include "config/docs.h"

#include <fmt/format.h>

#include <vector>

#include "config/schema.h"
#include "config/writer.h"
#include "yaml/source_error.h"

namespace berth::config {

namespace {

using Kind = ConfigValue::Kind;

constexpr std::string_view kIntroduction =
    R"(# Configuration

<!-- Written by `berth config docs`; change the fields' help in the sources instead. -->

Berth has one YAML configuration file; the subcommands read it with `--config`. They read it strictly:
a field that does not exist, is given twice, or has a senseless value is an error with its line, and
Berth does not start. `berth config validate FILE` reports all errors at once; `berth config defaults`
writes a file with all defaults.

Write durations as in Go (`10m`, `1h30m`, `0s`) and quantities as in Kubernetes (`40Gi`). File names
are relative to Berth's working directory. Null is the same as leaving the field out.

If the kubeconfig names no `proxy-url`, Berth reaches the API server through the proxy of the
environment, as Go programs do (`HTTPS_PROXY`, `NO_PROXY`; either case). It has to be an `http://`
proxy that tunnels.

The smallest file for `berth extender`:

```yaml
apiVersion: config.berth.dev/v1alpha1
kind: BerthConfiguration
extender:
  tls: {certFile: /etc/berth/tls/tls.crt, keyFile: /etc/berth/tls/tls.key}
```
)";

std::string Code(const std::string& text) { return "`" + text + "`"; }

// Escapes '|', which would end the cell.
std::string Cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string DefaultOf(const ConfigField& field) {
  if (field.required) return "required";
  switch (field.value.kind) {
    case Kind::kAbsent:
      return "none";
    case Kind::kPlain:
      return Code(field.value.scalar);
    case Kind::kText:
      return field.value.scalar.empty() ? "empty" : Code(field.value.scalar);
    case Kind::kList:
      return field.value.items.empty() ? "empty" : "see below";
    case Kind::kMap:
      return "";
  }
  return "";
}

void AddRows(const std::vector<ConfigField>& fields, const std::string& path, std::string& text) {
  for (const ConfigField& field : fields) {
    const std::string name = yaml::FieldPath(path, field.key);
    const bool is_list = field.value.kind == Kind::kList;
    if (field.value.kind != Kind::kMap) {
      text += fmt::format("| {} | {} | {} | {} |\n", Code(name), field.type, DefaultOf(field),
                          Cell(field.help));
    }
    AddRows(field.fields, is_list ? name + "[]" : name, text);
  }
}

void AddTable(const std::vector<ConfigField>& fields, const std::string& path, std::string& text) {
  text += "\n| Field | Type | Default | |\n|---|---|---|---|\n";
  AddRows(fields, path, text);
}

// A section for a block. The scalars at the top of the file share one table before the sections.
void AddBlock(const ConfigField& block, std::string& text) {
  text += fmt::format("\n## {}\n\n{}.\n", block.key, block.help);
  const bool is_list = block.value.kind == Kind::kList;
  AddTable(block.fields, is_list ? block.key + "[]" : block.key, text);
}

}  // namespace

std::string ConfigDocs() {
  std::string text(kIntroduction);
  std::vector<ConfigField> scalars;
  std::vector<ConfigField> blocks;
  for (ConfigField& field : Describe({})) {
    (field.fields.empty() ? scalars : blocks).push_back(std::move(field));
  }
  AddTable(scalars, "", text);
  for (const ConfigField& block : blocks) AddBlock(block, text);
  text += "\n## The defaults\n\n```yaml\n" + WriteConfig({}) + "```\n";
  return text;
}

}  // namespace berth::config
