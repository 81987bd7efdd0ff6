#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cli/cluster_source.h"
#include "cli/pod_manifest.h"
#include "cluster/snapshot.h"
#include "config/config.h"
#include "model/time.h"
#include "placement/explanation.h"
#include "process/engine.h"

namespace berth::cli {

/// 2026-06-01T12:00:00Z, the moment that the objects below were made for.
inline constexpr model::Time kNow{model::Duration{1'780'315'200}};

inline constexpr const char* kGoldenFolder = "tests/golden/explain/";

/// The pods of the folder tests/golden/explain, by their file.
inline constexpr const char* kPods[] = {"bad_memory.yaml", "cpu_only.yaml",    "mncore.json",
                                        "one_gpu.yaml",    "preferences.yaml", "unknown_model.yaml",
                                        "whole_node.yaml"};

/// The cluster of tests/golden/explain/objects.json with the default engine.
class ExplainFixture : public testing::Test {
 protected:
  void SetUp() override {
    const absl::Status loaded =
        LoadObjectsFile(std::string(kGoldenFolder) + "objects.json", snapshot_);
    ASSERT_TRUE(loaded.ok()) << loaded;
  }

  static model::Pod PodOf(const std::string& file) {
    return ReadPodManifest(kGoldenFolder + file).value().pod;
  }

  placement::Explanation Explained(const model::Pod& pod) const {
    return placement::Explain(pod, snapshot_.Read(), *engine_.scheduling, kNow);
  }

  const process::Engine engine_ = process::MakeEngine({});
  cluster::Snapshot snapshot_{{.catalog = engine_.catalog, .labels = {}}};
};

}  // namespace berth::cli
