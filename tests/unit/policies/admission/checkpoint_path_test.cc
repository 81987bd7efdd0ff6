#include "policies/admission/checkpoint_path.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

constexpr std::string_view kKey = "berth.dev/checkpoint-key";

Request From(std::string controller) {
  Request request = MakeRequest();
  request.controller = std::move(controller);
  return request;
}

/// As the API server sees it when a controller creates it.
model::Workload PodOf(std::string kind, std::string owner, std::string name,
                      std::string generate_name) {
  model::Workload pod = CpuPod();
  const std::string group = kind == "Job" ? "batch" : "";
  pod.owners = {
      {.kind = std::move(kind), .name = std::move(owner), .controller = true, .group = group}};
  pod.name = std::move(name);
  pod.generate_name = std::move(generate_name);
  return pod;
}

model::Workload Indexed(model::Workload pod, std::string index) {
  pod.pod.annotations.emplace_back("batch.kubernetes.io/job-completion-index", std::move(index));
  model::Normalize(pod.pod.annotations);
  return pod;
}

model::Workload Keyed(model::Workload workload, std::string key) {
  return Annotated(std::move(workload), "checkpoint-key", std::move(key));
}

TEST(PathSegmentTest, IsAName) {
  for (const auto* good : {"a", "train-1", "A_b.c", "7", ".hidden", "-x"}) {
    EXPECT_TRUE(IsPathSegment(good)) << good;
  }
  EXPECT_TRUE(IsPathSegment(std::string(253, 'a')));
  for (const auto* bad : {"", ".", "..", "a..b", "../a", "a/b", "/a", "a b", "a\n", "é", "$(X)",
                          "a\\b", "a:b", "%2e"}) {
    EXPECT_FALSE(IsPathSegment(bad)) << bad;
  }
  EXPECT_FALSE(IsPathSegment(std::string(254, 'a')));
  EXPECT_FALSE(IsPathSegment(std::string("a\0b", 3)));
}

struct PathCase {
  std::string what;
  model::Workload workload;
  std::string controller;
  std::string path;
};

std::vector<PathCase> Cases() {
  const model::Workload job_pod = PodOf("Job", "train", "", "train-");
  model::Workload generated = CpuPod();
  generated.name = "";
  generated.generate_name = "train-";
  model::Workload job = MakeJob(CpuPod());
  model::Workload made_up_job = MakeJob(generated);
  model::Workload listed = job_pod;
  listed.owners.insert(listed.owners.begin(), {.kind = "Team", .name = "x", .controller = false});
  model::Workload stranger = PodOf("Job", "flow", "flow-task-0", "flow-task-");
  stranger.owners[0].group = "batch.volcano.sh";
  return {
      {"pod of a Job", job_pod, "Job", "train"},
      {"pod of a Job whose name was made up already", PodOf("Job", "train", "train-x2", "train-"),
       "Job", "train"},
      {"its controlling owner counts", listed, "Job", "train"},
      {"pod of an indexed Job", Indexed(job_pod, "3"), "Job", "train/3"},
      {"key", Keyed(job_pod, "llama"), "Job", "llama"},
      {"key and index", Keyed(Indexed(job_pod, "12"), "llama"), "Job", "llama/12"},
      {"index that is none", Indexed(job_pod, "../1"), "Job", "train"},
      {"index without a digit", Indexed(job_pod, ""), "Job", "train"},
      {"index above all", Indexed(job_pod, "12345678901"), "Job", "train"},
      {"pod of a StatefulSet", PodOf("StatefulSet", "web", "web-0", "web-"), "StatefulSet",
       "web/web-0"},
      {"pod that an operator names", PodOf("PyTorchJob", "llama", "llama-worker-0", ""),
       "PyTorchJob", "llama/llama-worker-0"},
      {"pod that an operator of other Jobs names", PodOf("Job", "mpi", "mpi-worker-1", ""), "Job",
       "mpi/mpi-worker-1"},
      {"pod of another group's Job", stranger, "Job", "flow/flow-task-0"},
      {"pod of a ReplicaSet", PodOf("ReplicaSet", "web-5d", "", "web-5d-"), "ReplicaSet", ""},
      {"pod of a ReplicaSet with a key", Keyed(PodOf("ReplicaSet", "web-5d", "", "web-5d-"), "web"),
       "ReplicaSet", "web"},
      {"bare pod", CpuPod(), "", "train"},
      {"bare pod with a made-up name", generated, "", ""},
      {"bare pod with a made-up name and a key", Keyed(generated, "llama"), "", "llama"},
      {"bare pod that says it has an owner", PodOf("Job", "of-bob", "mine", ""), "", "mine"},
      {"controller without an owner", CpuPod(), "Job", "train"},
      {"bad key", Keyed(CpuPod(), "../bob"), "", ""},
      {"owner whose name is no path", PodOf("Job", "a/../b", "", "a-"), "Job", ""},
      {"pod whose owner's name is no path", PodOf("Ray", "a:b", "worker", ""), "Ray", ""},
      {"Job", job, "", "train"},
      {"Job with a key", Keyed(job, "llama"), "", "llama"},
      {"Job of a CronJob", job, "CronJob", "train"},
      {"Job with a made-up name", made_up_job, "", ""},
  };
}

TEST(CheckpointPathTest, IsWhereARetryIsSentAgain) {
  for (const PathCase& c : Cases()) {
    EXPECT_EQ(CheckpointPath(From(c.controller), c.workload, kKey), c.path) << c.what;
  }
}

}  // namespace
}  // namespace berth::policies::admission
