#include <malloc.h>

#include "cli/run.h"

namespace {

// Blocks from this size on get memory of their own, which goes back to the system when they are
// freed: bodies of requests and replies do. By default glibc raises this bound to the largest block
// that was ever freed. Large blocks then lie between small ones, and the process keeps the memory
// of hundreds of bodies.
constexpr int kOwnMemory = 256 * 1024;
// Free memory to keep for the next request.
constexpr int kKeptFree = 8 * 1024 * 1024;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, kOwnMemory);
  mallopt(M_TRIM_THRESHOLD, kKeptFree);
  return berth::cli::Run(argc, argv);
}
