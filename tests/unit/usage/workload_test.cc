#include "usage/workload.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/json.h"

namespace berth::usage {
namespace {

Workload Read(const std::string& metadata) {
  kube::JsonParser parser;
  const auto root = parser.Parse(R"({"metadata":)" + metadata + "}");
  absl::Status error;
  const kube::JsonValue pod(*root, kube::Path("Pod"), error);
  Workload workload = WorkloadOf(pod, {});
  EXPECT_TRUE(error.ok()) << error;
  return workload;
}

TEST(Workload, IsWhatControlsThePod) {
  const Workload job = Read(
      R"({"ownerReferences":[{"kind":"Queue","name":"q"},{"kind":"Job","name":"train","controller":true}]})");
  EXPECT_EQ(job, (Workload{"Job", "train", false}));
  EXPECT_EQ(ToString(job), "Job train");
  EXPECT_EQ(ToString(Read("{}")), "-");
}

TEST(Workload, MayBeANotebookOfKubeflow) {
  const Workload notebook = Read(
      R"({"labels":{"notebook-name":"alice","statefulset":"alice"},
          "ownerReferences":[{"kind":"StatefulSet","name":"alice","controller":true}]})");
  EXPECT_TRUE(notebook.notebook);
  EXPECT_EQ(ToString(notebook), "notebook (StatefulSet alice)");
}

TEST(Workload, MayBeANotebookOfJupyterHub) {
  EXPECT_EQ(ToString(Read(R"({"labels":{"component":"singleuser-server"}})")), "notebook");
  EXPECT_FALSE(Read(R"({"labels":{"component":"hub"}})").notebook);
}

TEST(Workload, MayBeANotebookByItsKind) {
  EXPECT_EQ(ToString(Read(
                R"({"ownerReferences":[{"kind":"Notebook","name":"alice","controller":true}]})")),
            "Notebook alice");
}

}  // namespace
}  // namespace berth::usage
