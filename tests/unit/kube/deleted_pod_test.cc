#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

// Of pods that somebody has deleted: until when they should be gone, and whose Job they are.

namespace berth::kube {
namespace {

constexpr model::Time kGoneBy{std::chrono::seconds(1'769'860'800)};

struct DeletedPodCase {
  std::string name;
  bool deleted;
  std::string api_version;
  std::string kind;
  bool controls;
  std::string job;
};

class DeletedPodTable : public ::testing::TestWithParam<DeletedPodCase> {};

std::string DeletedPodJson(const DeletedPodCase& test) {
  const std::string deleted =
      test.deleted ? R"("deletionTimestamp": "2026-01-31T12:00:00Z", )" : "";
  return R"({"metadata": {)" + deleted +
         R"("ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "other"},
                                {"apiVersion": ")" +
         test.api_version + R"(", "kind": ")" + test.kind +
         R"(", "name": "train", "controller": )" + (test.controls ? "true" : "false") + "}]}}";
}

model::Pod DeletedPodOfMessage(const DeletedPodCase& test) {
  pb::Pod message = MakePod();
  pb::ObjectMeta& metadata = *message.mutable_metadata();
  if (test.deleted) {
    metadata.mutable_deletion_timestamp()->set_seconds(kGoneBy.time_since_epoch().count());
  }
  metadata.add_owner_references()->set_kind("ConfigMap");
  pb::OwnerReference& owner = *metadata.add_owner_references();
  owner.set_api_version(test.api_version);
  owner.set_kind(test.kind);
  owner.set_name("train");
  owner.set_controller(test.controls);
  return DecodePage<model::Pod>(Body("PodList", ListOf(message)))->items.front();
}

TEST_P(DeletedPodTable, IsReadFromBothEncodings) {
  JsonParser parser;
  const auto json = PodFromJson(*parser.Parse(DeletedPodJson(GetParam())), "Pod");
  ASSERT_TRUE(json.ok()) << json.status();
  for (const model::Pod& pod : {*json, DeletedPodOfMessage(GetParam())}) {
    EXPECT_EQ(pod.deleted, GetParam().deleted ? kGoneBy : model::kNoTime);
    EXPECT_EQ(pod.job, GetParam().job);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DeletedPodTable,
    ::testing::Values(DeletedPodCase{"OfAJob", true, "batch/v1", "Job", true, "train"},
                      DeletedPodCase{"OfAJobThatRuns", false, "batch/v1", "Job", true, ""},
                      DeletedPodCase{"OfAnotherGroupsJob", true, "batch.volcano.sh/v1alpha1", "Job",
                                     true, ""},
                      DeletedPodCase{"OfAReplicaSet", true, "apps/v1", "ReplicaSet", true, ""},
                      DeletedPodCase{"OwnedButNotControlled", true, "batch/v1", "Job", false, ""}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace berth::kube
