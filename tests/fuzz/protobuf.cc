// The body of a list and of an error, from the API server or whoever stands in for it.
#include "kube/protobuf.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;

template <typename T>
void CheckPage(std::string_view body) {
  const auto page = kube::DecodePage<T>(body);
  fuzz::RequireSentence(page.status());
  if (!page.ok()) return;
  for (const kube::UnreadableObject& each : page->unreadable) fuzz::RequireSentence(each.error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = fuzz::TextOf(data, size);
  CheckPage<model::Node>(body);
  CheckPage<model::Pod>(body);
  CheckPage<model::Service>(body);
  fuzz::RequireSentence(kube::DecodeStatus(body).status());
  return 0;
}
