#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/json_object_splitter.h"
#include "report/judge.h"
#include "report/object.h"
#include "report/survey.h"

namespace berth::report {

/// Reads the objects in JSON text that arrives in pieces, has them judged on other threads, and
/// passes them to a survey in their order. Of the text it holds a few MiB at a time, whatever its
/// length. Not thread-safe; the survey is written to only during calls.
///
///   Intake intake(judge, survey);
///   while (...) status.Update(intake.Append(bytes));
///   status.Update(intake.Finish());
class Intake {
 public:
  /// Both must outlive this object. `threads` judge at the same time; at least 1.
  Intake(const Judge& judge, Survey& survey, std::size_t threads);

  /// Takes the next bytes. Blocks while the threads have enough to do. Returns InvalidArgument if
  /// the text is none of API objects, also if a document in it is a Status or a list without items;
  /// what came before is read nevertheless.
  absl::Status Append(std::string_view bytes);

  /// Waits until everything is in the survey. Returns InvalidArgument if the text ends within an
  /// object.
  absl::Status Finish();

  /// How many objects have been cut out of the text.
  std::size_t objects() const { return objects_; }
  /// Of the last list: see JsonObjectSplitter::continue_token().
  const std::string& continue_token() const { return splitter_.continue_token(); }

 private:
  // One object in Batch::text.
  struct Piece {
    std::size_t begin = 0;
    std::size_t size = 0;
    bool too_large = false;
    std::string list_kind;
    std::string list_api_version;
  };
  // Objects that one thread judges.
  struct Batch {
    std::string text;
    std::vector<Piece> pieces;
  };

  static std::vector<Seen> JudgeAll(const Judge& judge, const Batch& batch);
  void Add(const kube::JsonObjectSplitter::Object& object);
  // Has the present batch judged.
  void Send();
  // Passes the oldest batch on to the survey.
  void TakeOldest();

  const Judge& judge_;
  Survey& survey_;
  const std::size_t threads_;
  kube::JsonObjectSplitter splitter_;
  std::size_t objects_ = 0;
  Batch batch_;
  std::deque<std::future<std::vector<Seen>>> judged_;
};

}  // namespace berth::report
