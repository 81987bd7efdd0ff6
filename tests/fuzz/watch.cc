// The body of a watch: it is cut into the same frames however the network cut it.
#include <algorithm>
#include <string>
#include <vector>

#include "kube/protobuf.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;

struct Frames {
  std::vector<std::string> all;
  bool broken = false;
  bool at_boundary = false;

  friend bool operator==(const Frames&, const Frames&) = default;
};

Frames FramesOf(std::string_view body, std::size_t piece) {
  kube::WatchFrameSplitter splitter;
  Frames frames;
  for (std::size_t at = 0; at < body.size() && !frames.broken; at += piece) {
    splitter.Append(body.substr(at, piece));
    for (;;) {
      const auto frame = splitter.Next();
      frames.broken = !frame.ok();
      if (frames.broken || !*frame) break;
      frames.all.emplace_back(**frame);
    }
  }
  frames.at_boundary = !frames.broken && splitter.AtBoundary();
  return frames;
}

template <typename T>
void CheckEvent(const std::string& frame) {
  const auto event = kube::DecodeWatchEvent<T>(frame);
  fuzz::RequireSentence(event.status());
  if (event.ok() && event->unreadable) fuzz::RequireSentence(event->unreadable->error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = fuzz::TextOf(data, size);
  const Frames whole = FramesOf(body, std::max<std::size_t>(size, 1));
  fuzz::Require(whole == FramesOf(body, 1), "frames do not depend on the pieces they come in");
  for (const std::string& frame : whole.all) {
    CheckEvent<model::Node>(frame);
    CheckEvent<model::Pod>(frame);
    CheckEvent<model::Service>(frame);
  }
  return 0;
}
