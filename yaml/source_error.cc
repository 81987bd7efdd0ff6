#include "yaml/source_error.h"

#include <fmt/format.h>

namespace berth::yaml {

std::string ToString(const SourceError& error) {
  std::string text = error.file;
  if (error.line > 0) text += fmt::format(":{}", error.line);
  text += ": ";
  if (!error.path.empty()) text += error.path + ": ";
  return text + error.message;
}

std::string ToString(const std::vector<SourceError>& errors) {
  std::string text;
  for (const SourceError& error : errors) {
    if (!text.empty()) text += '\n';
    text += ToString(error);
  }
  return text;
}

std::string FieldPath(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string ItemPath(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

}  // namespace berth::yaml
