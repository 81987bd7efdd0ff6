// What kube-scheduler posts, and what it is answered.
#include <nlohmann/json.hpp>

#include "extender/wire.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;
using nlohmann::json;

// As where no policy refuses a node.
void CheckFilter(extender::ArgsReader& reader, std::string_view body) {
  const auto args = reader.Read(body);
  fuzz::RequireSentence(args.status());
  if (!args.ok()) return;
  const extender::FilterResult all{.node_names = args->node_names};
  fuzz::Require(json::accept(extender::FilterReply(*args, all)), "filter answers JSON");
  if (!args->given) return;
  fuzz::Require(extender::BringsWholeObjects(body), "whole nodes are noticed before parsing");
  for (const kube::UnreadableObject& node : args->given->unreadable) {
    fuzz::RequireSentence(node.error);
  }
}

void CheckPreemption(extender::ArgsReader& reader, std::string_view body) {
  const auto args = reader.ReadPreemption(body);
  fuzz::RequireSentence(args.status());
  if (!args.ok()) return;
  fuzz::Require(json::accept(extender::PreemptReply(args->nodes)), "preempt answers JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  extender::ArgsReader reader;
  CheckFilter(reader, fuzz::TextOf(data, size));
  CheckPreemption(reader, fuzz::TextOf(data, size));
  return 0;
}
