#include "controller/identity.h"

#include <unistd.h>

#include <climits>
#include <cstdint>
#include <random>

#include "fmt/format.h"

namespace berth::controller {

std::string MakeIdentity() {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  std::random_device random;
  const std::uint32_t words[] = {random(), random(), random(), random()};
  // RFC 9562, section 5.4: version 4, variant 10.
  return fmt::format("{}_{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:04x}{:08x}", host, words[0],
                     words[1] >> 16, words[1] & 0xfff, 8 + (words[2] >> 30), words[2] & 0xfff,
                     (words[2] >> 12) & 0xffff, words[3]);
}

}  // namespace berth::controller
