#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace berth::tests {

/// Damages bytes as a broken sender or an attacker does; the same damage in every run.
class Mutator {
 public:
  std::string operator()(std::string bytes) {
    for (std::size_t i = 0, changes = 1 + Below(4); i < changes && !bytes.empty(); ++i) {
      Change(bytes);
    }
    return bytes;
  }

 private:
  std::size_t Below(std::size_t end) { return random_() % end; }

  void Change(std::string& bytes) {
    const std::size_t at = Below(bytes.size());
    const std::size_t size = 1 + Below(8);
    switch (Below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(Below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, size);
        break;
      case 4:
        bytes.insert(at, std::string(bytes, Below(bytes.size()), size));
        break;
      default:
        bytes.insert(at, size, "[{\"9\xff\0-e"[Below(9)]);
    }
  }

  std::mt19937_64 random_{20260131};  // NOLINT(cert-msc51-cpp): the same mutations every time
};

}  // namespace berth::tests
