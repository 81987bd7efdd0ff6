#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Reads the small files of sysfs and procfs. Every call may hang; see child.h.

namespace berth::probe {

/// The content without blanks and line breaks at the end, at most 1 MiB. Nothing: it cannot be
/// read.
std::optional<std::string> ReadText(const std::string& path);

/// The number that the file starts with, decimal, or hexadecimal with 0x in front.
std::optional<std::uint64_t> ReadNumber(const std::string& path);

/// The names in a folder, sorted; none if it is not there. On an error, which folder cannot be
/// read.
absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& folder);

/// The names in a folder of sysfs below `root`, such as "class/net", sorted. A kernel makes no
/// folder for what it does not know, so there are none if the folder is missing from a sysfs that
/// is there. Without a sysfs nothing is known: that is an error.
absl::StatusOr<std::vector<std::string>> NamesInSys(const std::string& root,
                                                    const std::string& folder);

/// Whether the file, folder or symbolic link is there.
bool Exists(const std::string& path);

/// Seconds since the node was booted, of /proc/uptime below `root`. It counts on when somebody sets
/// the clock, and files in /run do not outlive it.
std::optional<double> UptimeSeconds(const std::string& root);

}  // namespace berth::probe
