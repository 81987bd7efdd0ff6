#include "report/intake.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kube/json.h"
#include "kube/json_sizes.h"
#include "kube/json_text.h"

namespace berth::report {

namespace {

// Enough work for a thread to be worth its start, which takes some 20 us.
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kBatchObjects = 1000;

kube::UnreadableObject UnreadableObjectOf(std::string_view kind, std::string error) {
  return {.kind = std::string(kind), .error = std::move(error)};
}

// Returns an error if the document stands in the place of objects. Only one that may do so is
// parsed here: the threads parse the others.
absl::Status CheckDocument(std::string_view text) {
  const auto kind = kube::JsonText(text).Member("kind");
  const auto name = kind ? kind->PlainString() : std::nullopt;
  if (!name || (*name != "Status" && !name->ends_with("List"))) return absl::OkStatus();
  kube::JsonParser parser(kube::kMaxValues);
  const auto document = parser.Parse(text);
  return document.ok() ? kube::CheckHoldsObjects(*document) : absl::OkStatus();
}

}  // namespace

Intake::Intake(const Judge& judge, Survey& survey, std::size_t threads)
    : judge_(judge), survey_(survey), threads_(std::max<std::size_t>(threads, 1)) {}

absl::Status Intake::Append(std::string_view bytes) {
  splitter_.Append(bytes);
  while (true) {
    const auto object = splitter_.Next();
    if (!object.ok()) return object.status();
    if (!object->has_value()) return absl::OkStatus();
    const absl::Status holds =
        (*object)->is_item ? absl::OkStatus() : CheckDocument((*object)->text);
    if (!holds.ok()) return holds;
    Add(**object);
  }
}

absl::Status Intake::Finish() {
  Send();
  while (!judged_.empty()) TakeOldest();
  return splitter_.CheckEnd();
}

void Intake::Add(const kube::JsonObjectSplitter::Object& object) {
  ++objects_;
  batch_.pieces.push_back({.begin = batch_.text.size(),
                           .size = object.text.size(),
                           .too_large = object.too_large,
                           .list_kind = std::string(object.list_kind),
                           .list_api_version = std::string(object.list_api_version)});
  batch_.text += object.text;
  if (batch_.text.size() >= kBatchBytes || batch_.pieces.size() >= kBatchObjects) Send();
}

void Intake::Send() {
  if (batch_.pieces.empty()) return;
  if (judged_.size() == threads_) TakeOldest();
  judged_.push_back(std::async(
      std::launch::async,
      [&judge = judge_, batch = std::exchange(batch_, {})] { return JudgeAll(judge, batch); }));
}

void Intake::TakeOldest() {
  std::vector<Seen> seen = judged_.front().get();
  judged_.pop_front();
  for (Seen& each : seen) survey_.Take(std::move(each));
}

std::vector<Seen> Intake::JudgeAll(const Judge& judge, const Batch& batch) {
  std::vector<Seen> all;
  kube::JsonParser parser(kube::kMaxValues);
  for (const Piece& piece : batch.pieces) {
    if (piece.too_large) {
      all.emplace_back(UnreadableObjectOf(piece.list_kind, "is larger than Berth reads"));
      continue;
    }
    const auto object = parser.Parse(std::string_view(batch.text).substr(piece.begin, piece.size));
    if (!object.ok()) {
      all.emplace_back(UnreadableObjectOf(piece.list_kind, std::string(object.status().message())));
      continue;
    }
    for (Seen& each : judge.Look(*object, piece.list_kind, piece.list_api_version)) {
      all.push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace berth::report
