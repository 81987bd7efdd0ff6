#include "probe/nfs.h"

#include <fmt/format.h>
#include <sys/statfs.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "probe/files.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

/// The folder of a line of /proc/PID/mounts, in which blanks and the like are written as \040.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

/// Folders with NFS mounted on them, among these lines of /proc/PID/mounts.
std::vector<std::string> NfsMounts(std::string_view mounts) {
  std::vector<std::string> folders;
  for (const std::string& line : Split(mounts, "\n")) {
    const std::vector<std::string> words = Split(line, " ");
    if (words.size() >= 3 && (words[2] == "nfs" || words[2] == "nfs4")) {
      folders.push_back(Unescape(words[1]));
    }
  }
  return folders;
}

}  // namespace

Verdict LookForDeadMounts(const Settings& settings, Progress& progress) {
  // The first process' view, because this one may be in a container.
  const std::string init = settings.root + "/proc/1";
  progress.Doing("reading " + init + "/mounts");
  const std::optional<std::string> mounts = ReadText(init + "/mounts");
  if (!mounts) return Unknown(init + "/mounts cannot be read");
  const std::vector<std::string> folders = NfsMounts(*mounts);
  std::optional<Verdict> unknown;
  for (const std::string& folder : folders) {
    progress.Doing("statfs " + folder);
    struct statfs unused {};
    if (statfs((init + "/root" + folder).c_str(), &unused) == 0) continue;
    const int error = errno;
    const std::string text = fmt::format("{}: {}", folder, std::generic_category().message(error));
    // Of a mount that has gone since, or that this process may not see, nothing is known.
    const bool is_ours = error == ENOENT || error == EACCES || error == EPERM;
    if (!is_ours) return Bad(text);
    if (!unknown) unknown = Unknown(text);
  }
  if (unknown) return *unknown;
  return Well(fmt::format("{} NFS mounts answer", folders.size()));
}

}  // namespace berth::probe
