#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <functional>
#include <string>

namespace berth::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsMeasured = false;  // sanitizers take a multiple for themselves
#else
inline constexpr bool kMemoryIsMeasured = true;
#endif

inline constexpr std::size_t kMega = 1 << 20;

/// What a request may take at its peak: so many times its bytes, besides the body itself, which the
/// listener holds; and so many bytes more.
inline constexpr std::size_t kFactor = 7;
inline constexpr std::size_t kConstant = 64 * kMega;

/// A field of a process's /proc/.../status that is in kB, in bytes.
inline std::size_t StatusBytes(const std::string& field, const std::string& process = "self") {
  std::ifstream status("/proc/" + process + "/status");
  std::string word;
  std::size_t kilobytes = 0;
  while (status >> word) {
    if (word == field + ":" && status >> kilobytes) break;
  }
  return kilobytes * 1024;
}

/// How much more memory is resident while `work` runs, at most, than before: what a container's
/// limit counts. In a process of its own, so that what one measurement leaves in the allocator does
/// not serve the next.
inline std::size_t PeakOf(const std::function<void()>& work) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  malloc_trim(0);
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = StatusBytes("VmRSS");
    work();
    const std::size_t peak = StatusBytes("VmHWM");
    const std::size_t taken = peak > before ? peak - before : 0;
    const bool told = write(ends[1], &taken, sizeof taken) == static_cast<ssize_t>(sizeof taken);
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::size_t taken = 0;
  EXPECT_EQ(read(ends[0], &taken, sizeof taken), static_cast<ssize_t>(sizeof taken));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return taken;
}

/// `count` times `item`, with commas between.
inline std::string Repeated(const std::string& item, std::size_t count) {
  std::string list;
  list.reserve(count * (item.size() + 1));
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    list += item;
  }
  return list;
}

/// The same, with "#" in `item` replaced by a number: "0", "1" and so on.
inline std::string Numbered(const std::string& item, std::size_t count) {
  const std::size_t place = item.find('#');
  std::string list;
  list.reserve(count * (item.size() + 6));
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    list.append(item, 0, place).append(std::to_string(i)).append(item, place + 1);
  }
  return list;
}

}  // namespace berth::tests
