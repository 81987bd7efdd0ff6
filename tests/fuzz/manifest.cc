// A manifest, as `berth mutate -f` reads it.
#include "cli/manifest.h"
#include "kube/json.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const cli::Manifest manifest = cli::ParseManifest(fuzz::TextOf(data, size), "f");
  if (!manifest.errors.empty()) return 0;
  for (const cli::ManifestObject& object : manifest.objects) {
    kube::JsonParser parser;
    fuzz::RequireSentence(parser.Parse(object.json).status());
  }
  return 0;
}
