#include "probe/d_state.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/files.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD of linux/sched.h

/// A task in state D.
struct HungTask {
  std::string id;  // "4711"
  std::string name;
  /// Tells it from an earlier task with the same id, and from itself before it ran the last time:
  /// its start and how often it has been switched away from.
  std::string mark;
  /// Seconds after boot at which it was seen first.
  double since = 0;
};

/// Of /proc/PID/task/TID/stat the parts behind the name: from field 3, the state, on (proc(5)).
struct Stat {
  std::string name;
  std::vector<std::string> fields;

  const std::string& Field(std::size_t number) const { return fields[number - 3]; }
};

std::optional<Stat> ReadStat(const std::string& folder) {
  const std::string text = ReadText(folder + "/stat").value_or("");
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');  // the name may hold any character
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Stat stat{text.substr(open + 1, close - open - 1),
            Split(std::string_view(text).substr(close + 1), " ")};
  return stat.fields.size() < 20 ? std::nullopt : std::optional(stat);
}

/// How often the task has been switched away from, of its own will and not.
std::string Switches(const std::string& folder) {
  std::string switches;
  for (const std::string& line : Split(ReadText(folder + "/status").value_or(""), "\n")) {
    if (line.find("ctxt_switches:") != std::string::npos)
      switches += Split(line, "\t ").back() + '/';
  }
  return switches;
}

std::optional<HungTask> ReadHungTask(const std::string& id, const std::string& folder) {
  const std::optional<Stat> stat = ReadStat(folder);
  if (!stat || stat->Field(3) != "D") return std::nullopt;
  if ((ToNumber(stat->Field(9)).value_or(0) & kKernelThread) != 0) return std::nullopt;
  return HungTask{id, stat->name, stat->Field(22) + '/' + Switches(folder)};
}

/// All tasks of processes that count and are in state D now.
absl::StatusOr<std::vector<HungTask>> HungTasks(const Settings& settings, Progress& progress) {
  const std::string proc = settings.root + "/proc";
  const auto processes = NamesIn(proc);
  if (!processes.ok()) return processes.status();
  std::vector<HungTask> tasks;
  for (const std::string& process : *processes) {
    if (!ToNumber(process)) continue;
    progress.Doing("reading " + proc + '/' + process);
    // A process that has ended meanwhile has none that hangs.
    for (const std::string& id :
         NamesIn(proc + '/' + process + "/task").value_or(std::vector<std::string>())) {
      const std::string folder = proc + '/' + process + "/task/" + id;
      std::optional<HungTask> task = ReadHungTask(id, folder);
      if (!task) continue;
      const std::string cgroup = ReadText(folder + "/cgroup").value_or("");
      if (cgroup.find(settings.cgroup) != std::string::npos) tasks.push_back(*task);
    }
  }
  return tasks;
}

/// What an earlier run has seen: seconds after boot by id and mark.
std::map<std::string, double> Remembered(const std::string& file) {
  std::map<std::string, double> since;
  for (const std::string& line : Split(ReadText(file).value_or(""), "\n")) {
    const std::vector<std::string> words = Split(line, " ");
    if (words.size() == 3) since[words[0] + ' ' + words[1]] = ToDecimal(words[2]).value_or(0);
  }
  return since;
}

/// Whether that could be written.
bool Remember(const std::vector<HungTask>& tasks, const std::string& file) {
  std::ofstream out(file, std::ios::trunc);
  for (const HungTask& task : tasks) {
    out << fmt::format("{} {} {}\n", task.id, task.mark, task.since);
  }
  out.close();
  return out.good();
}

const HungTask* Oldest(const std::vector<HungTask>& tasks) {
  const HungTask* oldest = nullptr;
  for (const HungTask& task : tasks) {
    if (oldest == nullptr || task.since < oldest->since) oldest = &task;
  }
  return oldest;
}

}  // namespace

Verdict LookForHungTasks(const Settings& settings, Progress& progress) {
  const std::optional<double> now = UptimeSeconds(settings.root);
  if (!now) return Unknown(settings.root + "/proc/uptime cannot be read");
  const std::string file = settings.run_dir + "/d-state.seen";
  auto tasks = HungTasks(settings, progress);
  if (!tasks.ok()) return Unknown(std::string(tasks.status().message()));
  const std::map<std::string, double> before = Remembered(file);
  for (HungTask& task : *tasks) {
    const auto seen = before.find(task.id + ' ' + task.mark);
    task.since = seen == before.end() ? *now : seen->second;
  }
  if (!Remember(*tasks, file)) return Unknown(file + " cannot be written; set --run-dir");
  const HungTask* const oldest = Oldest(*tasks);
  if (oldest == nullptr) return Well("no task hangs");
  const std::chrono::seconds age(static_cast<std::int64_t>(*now - oldest->since));
  const std::string text = fmt::format("{} ({}) in state D for {}, {} in all", oldest->name,
                                       oldest->id, ToText(age), tasks->size());
  return age >= settings.duration ? Bad(text) : Well(text);
}

}  // namespace berth::probe
