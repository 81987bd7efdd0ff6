#include "policies/admission/origin.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

const std::string kAccount = "system:serviceaccount:kube-system:";
const std::string kManager = "system:kube-controller-manager";
const std::string kOperator = "system:serviceaccount:kubeflow:operator";

std::vector<ControllerSpec> Controllers() {
  std::vector<ControllerSpec> controllers = KubernetesControllers();
  controllers.push_back({kOperator, "PyTorchJob"});
  controllers.push_back({kOperator, "MPIJob"});
  return controllers;
}

struct OriginCase {
  std::string user;
  std::string owner;
  bool controls = true;
  std::string controller;
};

TEST(ControllerOfTest, IsToldByWhoAsks) {
  for (const OriginCase& c : std::vector<OriginCase>{
           {"alice", "", true, ""},
           {"alice", "Job", true, ""},
           {"", "Job", true, ""},
           {kAccount + "job-controller", "Job", true, "Job"},
           {kAccount + "replicaset-controller", "ReplicaSet", true, "ReplicaSet"},
           {kAccount + "replication-controller", "ReplicationController", true,
            "ReplicationController"},
           {kAccount + "statefulset-controller", "StatefulSet", true, "StatefulSet"},
           {kAccount + "cronjob-controller", "CronJob", true, "CronJob"},
           {kAccount + "daemon-set-controller", "DaemonSet", true, "DaemonSet"},
           {kAccount + "deployment-controller", "Deployment", true, "Deployment"},
           {kAccount + "job-controller", "", true, "Job"},
           {kAccount + "generic-garbage-collector", "Job", true, ""},
           {"system:serviceaccount:team:job-controller", "Job", true, ""},
           {kManager, "Job", true, "Job"},
           {kManager, "DaemonSet", true, "DaemonSet"},
           {kManager, "", true, ""},
           {kManager, "Job", false, ""},
           {kManager, "Node", true, ""},
           {kOperator, "PyTorchJob", true, "PyTorchJob"},
           {kOperator, "MPIJob", true, "MPIJob"},
           {kOperator, "", true, "PyTorchJob"},
       }) {
    model::Workload pod = CpuPod();
    if (!c.owner.empty()) {
      pod.owners = {{.kind = c.owner, .name = "owner", .controller = c.controls}};
    }
    EXPECT_EQ(ControllerOf({.name = c.user, .groups = {}}, pod, Controllers()), c.controller)
        << c.user << " for " << c.owner;
  }
}

}  // namespace
}  // namespace berth::policies::admission
