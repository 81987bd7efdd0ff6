#pragma once

#include "cli/command.h"

namespace berth::cli {

// One function for each subcommand of `berth`, which adds it to the command line. Each is defined
// in <name>_command.cc.

/// `berth extender --config FILE`.
void AddExtenderCommand(Command berth);

/// `berth admission --config FILE`.
void AddAdmissionCommand(Command berth);

/// `berth controller --config FILE`, `berth controller --rbac [--config FILE]`.
void AddControllerCommand(Command berth);

/// `berth mutate -f FILE`.
void AddMutateCommand(Command berth);

/// `berth explain -f FILE` and `berth explain POD`: which nodes a pod may go to, and why not to the
/// others.
void AddExplainCommand(Command berth);

/// `berth capacity`: counts the cluster's devices by accelerator.
void AddCapacityCommand(Command berth);

/// `berth certs show` and `berth certs renew`.
void AddCertsCommand(Command berth);

/// `berth stanza`: Berth's entry for somebody's own KubeSchedulerConfiguration.
void AddStanzaCommand(Command berth);

/// `berth doctor`: what is wrong with a cluster and Berth in it, and what to do.
void AddDoctorCommand(Command berth);

/// `berth config defaults|validate|docs|schema`.
void AddConfigCommand(Command berth);

/// `berth version [-o json]`.
void AddVersionCommand(Command berth);

}  // namespace berth::cli
