#pragma once

#include "cli/command.h"

namespace berth::cli {

// Each function adds one subcommand to the command line of `berth`, and is defined in
// <name>_command.cc. Run() calls them all. To add a subcommand, add a line here and one in run.cc,
// where those for people stand apart: `kubectl berth` has them, too. What all of these share:
//
//   api_options.h  -n, -A, --context and --kubeconfig, as kubectl has them
//   output.h       -o table, wide, json and yaml
//   text_table.h   tables that fit the terminal
//   terminal.h     colours, widths, and texts that others have written
//   command.h      Completes(): the names that a shell offers

/// `berth extender --config FILE`: answers kube-scheduler until SIGTERM or SIGINT.
void AddExtenderCommand(Command berth);

/// `berth admission --config FILE`: answers admission reviews until SIGTERM or SIGINT.
void AddAdmissionCommand(Command berth);

/// `berth controller --config FILE`: runs the controller until SIGTERM or SIGINT. `berth controller
/// --rbac [--config FILE]` prints its roles.
void AddControllerCommand(Command berth);

/// `berth mutate -f FILE`: shows what the webhook would do with the objects of a file.
void AddMutateCommand(Command berth);

/// `berth report`: what enforcing would change in a cluster, before Berth is installed.
void AddReportCommand(Command berth);

/// `berth policies`: writes what kube-apiserver can do of the webhook's admission by itself.
void AddPoliciesCommand(Command berth);

/// `berth explain -f FILE` and `berth explain POD`: to which nodes a pod may go, and why not to the
/// others.
void AddExplainCommand(Command berth);

/// `berth capacity`: counts the cluster's devices by accelerator.
void AddCapacityCommand(Command berth);

/// `berth gangs`: the gangs of a namespace, or of all.
void AddGangsCommand(Command berth);

/// `berth board`: serves a page that shows the cluster.
void AddBoardCommand(Command berth);

/// `berth who`: who holds which devices.
void AddWhoCommand(Command berth);

/// `berth idle`: which devices are held and not used.
void AddIdleCommand(Command berth);

/// `berth certs show` and `berth certs renew`: the certificates that the controller maintains.
void AddCertsCommand(Command berth);

/// `berth stanza`: prints Berth's entry for a KubeSchedulerConfiguration of the user's own.
void AddStanzaCommand(Command berth);

/// `berth doctor`: what is wrong with Berth in a cluster, and what to do about it.
void AddDoctorCommand(Command berth);

/// `berth untaint`: removes Berth's taint from all nodes.
void AddUntaintCommand(Command berth);

/// `berth release NAMESPACE/NAME`: takes the gate away from the pods of a gang.
void AddReleaseCommand(Command berth);

/// `berth probe NAME`: what is wrong with this node, for node-problem-detector.
void AddProbeCommand(Command berth);

/// `berth config defaults|validate|docs|schema`.
void AddConfigCommand(Command berth);

/// `berth completion bash|zsh|fish`: prints the script for a shell.
void AddCompletionCommand(Command berth);

/// `berth man FOLDER`: writes man pages of all commands.
void AddManCommand(Command berth);

/// `berth version [-o json]`.
void AddVersionCommand(Command berth);

}  // namespace berth::cli
