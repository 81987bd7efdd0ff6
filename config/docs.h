#pragma once

#include <string>

namespace berth::config {

/// The text of docs/configuration.md: a table of the fields of each block, and the default file.
/// `berth config docs` prints it. The introduction is in docs.cc, the rest comes from VisitFields.
std::string ConfigDocs();

}  // namespace berth::config
