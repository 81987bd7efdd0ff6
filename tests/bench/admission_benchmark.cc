// What one admission review costs in the server, from the request's body to the reply's, without
// HTTP and TLS: all policies on, namespace in mode enforce, the webhooks in turn. Prints
// percentiles of the time that passes and of the processor's, which neighbours of this process do
// not lengthen, and the resident memory after a warm-up and at the end; fails where it grew, or
// where a hundredth of the reviews takes the processor a millisecond.
// With "updates", the reviews are those of a Job that is applied again, with and without an
// explicit backoffLimit that Berth overrides.
//   admission_benchmark [reviews [updates]]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "admission/webhook.h"
#include "model/accelerator.h"
#include "server/log.h"
#include "server/metrics.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReviews = 1'000'000;
/// What an allocator may come to keep on the way; leaks of a byte a review are as much.
constexpr double kGrowthMiB = 1;
constexpr double kMostMilliseconds = 1;

/// As kube-apiserver sends a pod that `kubectl run` or a Job's controller creates.
std::string ReviewOf(const std::string& annotations, const std::string& resources) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{)"
         R"("uid":"0df28fbd-5f5f-11e8-bc74-36e6bb280816",)"
         R"("kind":{"group":"","version":"v1","kind":"Pod"},)"
         R"("resource":{"group":"","version":"v1","resource":"pods"},)"
         R"("requestKind":{"group":"","version":"v1","kind":"Pod"},)"
         R"("requestResource":{"group":"","version":"v1","resource":"pods"},)"
         R"("name":"train","namespace":"team","operation":"CREATE","userInfo":{)"
         R"("username":"alice","groups":["researchers","system:authenticated"]},)"
         R"("object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"train",)"
         R"("namespace":"team","creationTimestamp":null,"labels":{"app":"train"},"annotations":{)" +
         annotations +
         R"(},"managedFields":[{"manager":"kubectl-create","operation":"Update","apiVersion":"v1",)"
         R"("time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{)"
         R"("f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"train\"}":{)"
         R"(".":{},"f:image":{},"f:name":{},"f:resources":{}}}}}}]},"spec":{"volumes":[{"name":)"
         R"("kube-api-access-x2x9d","projected":{"sources":[{"serviceAccountToken":{)"
         R"("expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],"containers":[{)"
         R"("name":"train","image":"registry.example/train:1","command":["python","train.py"],)"
         R"("env":[{"name":"EPOCHS","value":"90"},{"name":"DATA","value":"/data/imagenet"}],)"
         R"("resources":{)" +
         resources +
         R"(},"volumeMounts":[{"name":"kube-api-access-x2x9d","readOnly":true,"mountPath":)"
         R"("/var/run/secrets/kubernetes.io/serviceaccount"}],"terminationMessagePath":)"
         R"("/dev/termination-log","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always",)"
         R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":)"
         R"("default","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{)"
         R"("key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
         R"("tolerationSeconds":300}],"priority":0,"enableServiceLinks":true},"status":{}},)"
         R"("oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":)"
         R"("meta.k8s.io/v1"}}})";
}

/// A Job as it is stored, but for its backoffLimit.
std::string JobOf(const std::string& backoff_limit) {
  return R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"train","namespace":"team",)"
         R"("uid":"6e2c1f7e-13c5-4c26-8b0f-2f1b1d8d8f5e","resourceVersion":"4711","generation":1,)"
         R"("labels":{"app":"train"},"annotations":{"berth.dev/applied":"creator,guaranteed-qos,)"
         R"(job-retries,isolation 0","berth.dev/created-by":"alice"},"managedFields":[{"manager":)"
         R"("kubectl","operation":"Apply","apiVersion":"batch/v1","time":"2026-01-01T00:00:00Z",)"
         R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:backoffLimit":{},"f:template":{)"
         R"("f:spec":{"f:containers":{"k:{\"name\":\"train\"}":{".":{},"f:image":{},"f:name":{}}},)"
         R"("f:restartPolicy":{}}}}}}]},"spec":{"parallelism":1,"completions":1,"backoffLimit":)" +
         backoff_limit +
         R"(,"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":)"
         R"("DisruptionTarget","status":"True"}]}]},"selector":{"matchLabels":{"batch.kubernetes.io)"
         R"(/controller-uid":"6e2c1f7e-13c5-4c26-8b0f-2f1b1d8d8f5e"}},"template":{"metadata":{)"
         R"("labels":{"batch.kubernetes.io/job-name":"train"},"annotations":{"berth.dev/created-by")"
         R"(:"alice"}},"spec":{"containers":[{"name":"train","image":"registry.example/train:1",)"
         R"("resources":{"limits":{"cpu":"1","memory":"4Gi"},"requests":{"cpu":"1","memory":"4Gi")"
         R"(}},"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],)"
         R"("restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
         R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{)"
         R"("nodeSelectorTerms":[{"matchExpressions":[{"key":"berth.dev/accelerator","operator":)"
         R"("DoesNotExist"}]}]}}},"schedulerName":"default-scheduler"}},"completionMode":)"
         R"("NonIndexed","suspend":false,"podReplacementPolicy":"Failed"},"status":{"active":1}})";
}

/// An update of the Job above.
std::string UpdateTo(const std::string& backoff_limit) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{)"
         R"("uid":"0df28fbd-5f5f-11e8-bc74-36e6bb280816",)"
         R"("kind":{"group":"batch","version":"v1","kind":"Job"},)"
         R"("resource":{"group":"batch","version":"v1","resource":"jobs"},"name":"train",)"
         R"("namespace":"team","operation":"UPDATE","userInfo":{"username":"argocd",)"
         R"("groups":["system:serviceaccounts","system:authenticated"]},"object":)" +
         JobOf(backoff_limit) + R"(,"oldObject":)" + JobOf("0") + R"(,"dryRun":false}})";
}

/// "VmRSS" of this process, in MiB.
double ResidentMiB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

std::vector<server::Route> RoutesOf(admission::Webhook& webhook) {
  std::vector<server::Route> routes = webhook.Routes();
  std::erase_if(routes, [](const server::Route& route) {
    return route.path != "/mutate/enforce" && route.path != "/validate/enforce";
  });
  return routes;
}

std::chrono::nanoseconds ProcessorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// The 99th percentile, in milliseconds.
double Print(const char* what, std::vector<std::chrono::nanoseconds> times) {
  std::ranges::sort(times);
  const auto milliseconds = [&times](double share) {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(times.size() - 1));
    return std::chrono::duration<double, std::milli>(times[place]).count();
  };
  std::printf("%-9s  p50 %.3f ms  p99 %.3f ms  p99.9 %.3f ms  max %.3f ms\n", what,
              milliseconds(0.5), milliseconds(0.99), milliseconds(0.999), milliseconds(1));
  return milliseconds(0.99);
}

// Without a name to write, scheduler-name has nothing to do.
policies::admission::AdmissionConfig AllPoliciesOn() {
  policies::admission::AdmissionConfig config;
  std::get<policies::admission::PolicySettings<policies::admission::SchedulerNamePolicy>>(
      config.policies.all)
      .config.name = "berth-scheduler";
  return config;
}

std::vector<std::string> Creations() {
  return {ReviewOf("", R"("limits":{"nvidia.com/gpu":"2"},"requests":{"nvidia.com/gpu":"2"})"),
          ReviewOf(R"("berth.dev/accelerators":"A100,V100","berth.dev/checkpoint":"claim")",
                   R"("limits":{"cpu":"8","memory":"80Gi","nvidia.com/gpu":"2"})"),
          ReviewOf("", R"("requests":{"cpu":"1","memory":"1Gi"})")};
}

int Run(std::size_t reviews, const std::vector<std::string>& bodies) {
  auto catalog = std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
  server::Metrics metrics;
  admission::Webhook webhook(std::make_shared<const admission::Reviewer>(
                                 std::make_shared<const policies::admission::AdmissionEngine>(
                                     catalog, "berth.dev", "0", AllPoliciesOn()),
                                 std::vector<policies::admission::TemplateSpec>()),
                             metrics, 7 << 20);
  const std::vector<server::Route> routes = RoutesOf(webhook);
  std::vector<std::chrono::nanoseconds> passed(reviews);
  std::vector<std::chrono::nanoseconds> spent(reviews);
  double warm = 0;
  for (std::size_t i = 0; i < reviews; ++i) {
    if (i == reviews / 10) warm = ResidentMiB();
    const server::Route& route = routes[i % routes.size()];
    const std::string& body = bodies[i / routes.size() % bodies.size()];
    const auto start = Clock::now();
    const auto spent_before = ProcessorTime();
    const server::HttpResponse response =
        route.handle({.method = "POST", .target = route.path, .body = body});
    spent[i] = ProcessorTime() - spent_before;
    passed[i] = Clock::now() - start;
    if (response.status != 200) return std::puts(response.body.c_str()), EXIT_FAILURE;
  }
  const double end = ResidentMiB();
  std::printf("%zu reviews of some %zu bytes\n", reviews, bodies[0].size());
  Print("time", std::move(passed));
  const double p99 = Print("processor", std::move(spent));
  std::printf("resident: %.1f MiB after a tenth of them, %.1f MiB at the end\n", warm, end);
  const bool grew = end - warm > kGrowthMiB;
  const bool slow = p99 >= kMostMilliseconds;
  if (grew) std::puts("the memory grew");
  if (slow) std::puts("reviews took too long");
  return grew || slow ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  berth::server::SetLogLevel(berth::server::LogLevel::kError);
  const bool updates = argc > 2 && std::string(argv[2]) == "updates";
  return berth::Run(
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : berth::kReviews,
      updates ? std::vector{berth::UpdateTo("0"), berth::UpdateTo("6")} : berth::Creations());
}
