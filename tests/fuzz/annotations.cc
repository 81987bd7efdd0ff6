// Berth's annotations of nodes and pods, which whoever may patch these can write, and the message
// of a pod that waits, which whoever may patch its status can write: what is read of one is written
// again so that the same is read.
#include <string>
#include <string_view>
#include <vector>

#include "controller/refusals.h"
#include "model/annotation.h"
#include "model/avoid.h"
#include "model/duration.h"
#include "model/gang.h"
#include "model/kept_room.h"
#include "model/node.h"
#include "model/time.h"
#include "policies/scheduling/reason.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;

void CheckNode(std::string_view text) {
  const std::vector<model::Avoided> avoided = model::ParseAvoided(text);
  fuzz::Require(avoided.size() <= model::kMostAvoided, "a node avoids few");
  fuzz::Require(model::ParseAvoided(model::AvoidedText(avoided)) == avoided, "as many are avoided");
  for (const model::Avoided& entry : avoided) {
    fuzz::Require(model::AvoidedUntil(text, entry.owner).has_value(),
                  "one that is avoided is found");
  }
  const std::vector<model::KeptRoom> rooms = model::ParseKeptRooms(text);
  fuzz::Require(rooms.size() <= model::kMostKeptRooms, "a node keeps room for few");
  fuzz::Require(model::ParseKeptRooms(model::KeptRoomsText(rooms)) == rooms, "as much is kept");
  for (const model::KeptRoom& room : rooms) fuzz::Require(room.devices > 0, "some are kept");
}

void CheckEviction(std::string_view text, const model::GangNames& names) {
  const auto eviction =
      model::GangEvictionOf({{names.eviction, std::string(text)}}, model::kNoTime, names);
  if (!eviction) return;
  const std::string written = model::GangEvictionText(*eviction);
  fuzz::Require(
      model::GangEvictionOf({{names.eviction, written}}, model::kNoTime, names) == eviction,
      "an eviction stays the same");
}

// A line for each annotation.
void CheckGang(std::string_view text, const model::GangNames& names) {
  model::StringMap annotations;
  for (const std::string& name :
       {names.name, names.size, names.topology, names.models, names.preflight}) {
    const std::size_t end = text.find('\n');
    annotations.emplace_back(name, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (text.empty()) break;
  }
  model::Normalize(annotations);
  const auto gang = model::GangOf(annotations, names);
  fuzz::RequireSentence(gang.status());
  if (!gang.ok() || !gang->has_value()) return;
  fuzz::Require(model::IsGangName((*gang)->name), "a gang has a name");
  fuzz::Require((*gang)->size > 0 && (*gang)->size <= model::kMaxGangSize, "and some pods");
  fuzz::Require(model::PodGroupNameOf((*gang)->name).size() <= 253, "its PodGroup has a name, too");
}

void CheckDuration(std::string_view text) {
  const auto duration = model::ParseDuration(text);
  fuzz::RequireSentence(duration.status());
  if (!duration.ok()) return;
  const auto again = model::ParseDuration(model::FormatDuration(*duration));
  fuzz::Require(again.ok() && *again == *duration, "a duration stays the same");
}

// The second begins as the first does.
const policies::scheduling::ReasonTable& Reasons() {
  static const policies::scheduling::ReasonTable reasons = [] {
    policies::scheduling::ReasonTable table;
    for (const char* text : {"node(s) had condition GPUIsLost", "node(s) had condition GPUIsLost2",
                             "node(s) were unknown to Berth"}) {
      table.Intern({.policy = "any", .text = text});
    }
    return table;
  }();
  return reasons;
}

// As kube-scheduler writes it.
std::string MessageOf(const std::vector<controller::Refusals>& refusals) {
  std::string message = "0/9 nodes are available:";
  for (const controller::Refusals& counted : refusals) {
    message += message.ends_with(':') ? " " : ", ";
    message += std::to_string(counted.nodes) + " " + Reasons()[counted.reason].text;
  }
  return message + ".";
}

void CheckRefusals(std::string_view message) {
  const auto refusals = controller::ReadRefusals(message, Reasons());
  policies::scheduling::ReasonId last = policies::scheduling::kNoReason;
  for (const controller::Refusals& counted : refusals) {
    fuzz::Require(counted.reason > last && counted.reason < Reasons().size(),
                  "each reason is counted once, in the order of the table");
    fuzz::Require(counted.nodes > 0, "some nodes are refused for it");
    last = counted.reason;
  }
  const std::string written = MessageOf(refusals);
  fuzz::Require(MessageOf(controller::ReadRefusals(written, Reasons())) == written,
                "as many nodes are refused");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const model::GangNames names("berth.dev");
  const std::string_view text = fuzz::TextOf(data, size);
  CheckNode(text);
  CheckEviction(text, names);
  CheckGang(text, names);
  CheckDuration(text);
  CheckRefusals(text);
  return 0;
}
