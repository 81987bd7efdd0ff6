// The body of a list and of an error, from the API server or whoever stands in for it. A list is
// cut into the same objects however the network cut it.
#include <algorithm>
#include <string>
#include <vector>

#include "kube/list_splitter.h"
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

struct Items {
  std::vector<std::string> all;
  bool broken = false;

  friend bool operator==(const Items&, const Items&) = default;
};

Items ItemsOf(std::string_view body, std::size_t piece) {
  kube::ListSplitter splitter("NodeList");
  Items items;
  for (std::size_t at = 0; at < body.size() && !items.broken; at += piece) {
    splitter.Append(body.substr(at, piece));
    for (;;) {
      const auto item = splitter.Next();
      items.broken = !item.ok();
      if (items.broken || !*item) break;
      items.all.emplace_back(**item);
    }
  }
  items.broken = items.broken || !splitter.CheckEnd().ok();
  return items;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = fuzz::TextOf(data, size);
  fuzz::Require(ItemsOf(body, std::max<std::size_t>(size, 1)) == ItemsOf(body, 1),
                "objects do not depend on the pieces they come in");
  CheckPage<model::Node>(body);
  CheckPage<model::Pod>(body);
  CheckPage<model::Service>(body);
  fuzz::RequireSentence(kube::DecodeStatus(body).status());
  return 0;
}
