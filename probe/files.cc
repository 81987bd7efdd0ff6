#include "probe/files.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "probe/text.h"

namespace berth::probe {

namespace {

constexpr std::size_t kMostText = 1 << 20;

std::string_view FirstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\n"));
}

}  // namespace

std::optional<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() < kMostText && (in.read(part.data(), part.size()), in.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return std::nullopt;
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::optional<std::uint64_t> ReadNumber(const std::string& path) {
  const std::optional<std::string> text = ReadText(path);
  return text ? ToNumber(FirstWord(*text)) : std::nullopt;
}

absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return absl::UnavailableError(fmt::format("{}: {}", folder, error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<std::string>> NamesInSys(const std::string& root,
                                                    const std::string& folder) {
  const std::string sys = root + "/sys";
  std::error_code error;
  const std::filesystem::directory_iterator opened(sys, error);
  if (!error) return NamesIn(sys + '/' + folder);
  return absl::UnavailableError(fmt::format("{}: {}; set --root", sys, error.message()));
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::symlink_status(path, error).type() !=
             std::filesystem::file_type::not_found &&
         !error;
}

std::optional<double> UptimeSeconds(const std::string& root) {
  const std::optional<std::string> text = ReadText(root + "/proc/uptime");
  return text ? ToDecimal(FirstWord(*text)) : std::nullopt;
}

}  // namespace berth::probe
