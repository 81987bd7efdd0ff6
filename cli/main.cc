#include <malloc.h>

#include "cli/run.h"

namespace {

// Bodies and replies have memory of their own, which goes back to the system with them. By itself
// glibc raises this bound to the largest block that was ever given back; large ones then lie
// between small ones, and what hundreds of bodies have held stays with the process.
constexpr int kOwnMemory = 256 * 1024;
// What is kept free for the next request.
constexpr int kKeptFree = 8 * 1024 * 1024;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, kOwnMemory);
  mallopt(M_TRIM_THRESHOLD, kKeptFree);
  return berth::cli::Run(argc, argv);
}
