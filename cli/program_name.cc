#include "cli/program_name.h"

namespace berth::cli {

Program ProgramOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "kubectl_complete-berth") return {.is_plugin = true, .completes = true};
  return {.is_plugin = name == "kubectl-berth"};
}

}  // namespace berth::cli
