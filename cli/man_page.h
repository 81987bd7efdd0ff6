#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command_spec.h"

namespace berth::cli {

/// The file name and the text of a man page.
using ManPage = std::pair<std::string, std::string>;

/// The man pages of a program: one for itself, "berth.1", and one for each of its commands, such as
/// "berth-config-docs.1". They say what the help says. Written in man(7), so that groff and mandoc
/// show them.
std::vector<ManPage> ManPagesOf(const CommandSpec& program, const std::string& version);

}  // namespace berth::cli
