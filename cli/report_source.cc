#include "cli/report_source.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/terminal.h"
#include "kube/api_reply.h"
#include "kube/json.h"
#include "kube/query.h"
#include "report/intake.h"
#include "report/plain_text.h"
#include "yaml/file.h"

namespace berth::cli {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxRefusal = 64 * 1024;
constexpr const char* kReportPage = "500";
constexpr const char* kDumpAdvice =
    "write it with `kubectl get nodes,namespaces,pods,jobs,cronjobs -A -o json`";

std::size_t Threads() { return std::max(1U, std::thread::hardware_concurrency()); }

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

struct CloseFile {
  void operator()(std::FILE* file) const {
    // It was only read.
    if (file != stdin) static_cast<void>(std::fclose(file));
  }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

// Passes the file's bytes to `intake`. Returns what is wrong with them, or with reading them.
absl::Status Feed(std::FILE* file, report::Intake& intake) {
  std::vector<char> buffer(kReadBytes);
  absl::Status status;
  while (status.ok()) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file);
    if (got == 0) break;
    status = intake.Append({buffer.data(), got});
  }
  const bool failed = std::ferror(file) != 0;
  const std::string reason = std::generic_category().message(errno);
  const absl::Status end = intake.Finish();
  if (failed) return absl::NotFoundError("cannot be read: " + reason);
  return status.ok() ? end : status;
}

// Reads one file. Appends to `notes` if only a part of it can be read.
absl::Status SurveyFile(const std::string& name, const report::Judge& judge, report::Survey& survey,
                        std::size_t& objects, std::vector<std::string>& notes) {
  const std::string shown = yaml::DisplayName(name);
  const OpenFile file(name == yaml::kStandardInput ? stdin : std::fopen(name.c_str(), "rb"));
  if (file == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("{}: cannot be read: {}", shown, std::generic_category().message(errno)));
  }
  report::Intake intake(judge, survey, Threads());
  const absl::Status fed = Feed(file.get(), intake);
  objects += intake.objects();
  if (fed.ok()) return fed;
  if (intake.objects() == 0) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}; {}", shown, Printable(MessageOf(fed)), kDumpAdvice));
  }
  notes.push_back(report::PlainText(fmt::format("{}: {}; {} objects before that are in the report",
                                                shown, MessageOf(fed), intake.objects()),
                                    report::kMaxSentence));
  return absl::OkStatus();
}

// Passes a page of a list on to the intake, or keeps why it was refused.
class ReportSink final : public kube::HttpSink {
 public:
  explicit ReportSink(report::Intake& intake) : intake_(intake) {}

  absl::Status OnHead(const kube::HttpHead& head) override {
    head_ = head;
    // A proxy may say 200 and mean a page to log in.
    return head.status == 200 ? kube::CheckContentType(head, "application/json") : absl::OkStatus();
  }
  absl::Status OnBody(std::string_view bytes) override {
    if (head_.status == 200) return intake_.Append(bytes);
    refusal_.append(bytes.substr(0, kMaxRefusal - std::min(refusal_.size(), kMaxRefusal)));
    return absl::OkStatus();
  }

  // OK if the page was granted.
  absl::Status Refusal() const {
    if (head_.status == 200) return absl::OkStatus();
    kube::JsonParser parser;
    const auto status = parser.Parse(refusal_);
    std::string_view message;
    const bool told = status.ok() && (*status)["message"].get(message) == simdjson::SUCCESS;
    return absl::UnavailableError(fmt::format("{} {}", head_.status, told ? message : "refused"));
  }

  // Where the list can be gone on with, as it is by now, if its beginning is too old: a token is
  // valid for five minutes. Empty: nowhere. See ListOptions.continue in
  // k8s.io/apimachinery/pkg/apis/meta/v1/types.go (v0.36.3).
  std::string NewToken() const {
    if (head_.status != 410) return "";
    kube::JsonParser parser;
    const auto status = parser.Parse(refusal_);
    std::string_view token;
    if (!status.ok() || (*status)["metadata"]["continue"].get(token) != simdjson::SUCCESS)
      return "";
    return std::string(token);
  }

 private:
  report::Intake& intake_;
  kube::HttpHead head_;
  std::string refusal_;
};

// The kinds that a report is made of, and the paths of all that is asked for of each.
std::vector<std::pair<std::string_view, std::string>> PathsIn(const std::string& namespace_name) {
  const std::string in = namespace_name.empty() ? "" : "/namespaces/" + namespace_name;
  return {{"Nodes", "/api/v1/nodes"},
          // Whoever has rights in one namespace alone may get it, but not list it.
          {"Namespaces", namespace_name.empty() ? "/api/v1/namespaces" : "/api/v1" + in},
          {"Pods", "/api/v1" + in + "/pods"},
          {"Jobs", "/apis/batch/v1" + in + "/jobs"},
          {"CronJobs", "/apis/batch/v1" + in + "/cronjobs"}};
}

// Reads everything under `path`: a list page by page, or one object.
absl::Status SurveyList(kube::Transport& transport, const std::string& path,
                        const report::Judge& judge, report::Survey& survey) {
  report::Intake intake(judge, survey, Threads());
  absl::Status status;
  std::string next;
  do {
    kube::HttpRequest request;
    request.target = kube::Target(path).With("limit", kReportPage).With("continue", next).text();
    request.accept = "application/json";
    ReportSink sink(intake);
    status = transport.Send(request, sink);
    const std::string former = std::exchange(next, sink.NewToken());
    if (status.ok() && !next.empty() && next != former) continue;
    if (status.ok()) status = sink.Refusal();
    next = intake.continue_token();
  } while (status.ok() && !next.empty());
  const absl::Status end = intake.Finish();
  if (status.ok()) status = end;
  if (status.ok()) return status;
  // What an API server answers is never wrong usage of the command.
  return absl::UnavailableError(fmt::format("GET {}: {}", path, MessageOf(status)));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SurveyFiles(const std::vector<std::string>& files,
                                                     const report::Judge& judge,
                                                     report::Survey& survey) {
  std::vector<std::string> notes;
  std::size_t objects = 0;
  for (const std::string& file : files) {
    const absl::Status read = SurveyFile(file, judge, survey, objects, notes);
    if (!read.ok()) return read;
  }
  if (objects > 0) return notes;
  return absl::InvalidArgumentError(
      fmt::format("{}: has no objects; {}", yaml::DisplayName(files.front()), kDumpAdvice));
}

absl::StatusOr<std::vector<std::string>> SurveyCluster(kube::Transport& transport,
                                                       const std::string& namespace_name,
                                                       const report::Judge& judge,
                                                       report::Survey& survey) {
  std::vector<std::string> notes;
  for (const auto& [kinds, path] : PathsIn(namespace_name)) {
    const absl::Status listed = SurveyList(transport, path, judge, survey);
    if (listed.ok()) continue;
    if (kinds == "Pods") return listed;
    notes.push_back(report::PlainText(
        fmt::format("{} could not be listed: {}", kinds, MessageOf(listed)), report::kMaxSentence));
  }
  return notes;
}

}  // namespace berth::cli
