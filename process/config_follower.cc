#include "process/config_follower.h"

#include <openssl/sha.h>

#include <utility>
#include <vector>

#include "config/reader.h"
#include "config/summary.h"
#include "server/log.h"
#include "yaml/file.h"

namespace berth::process {

namespace {

using server::Log;
using server::LogLevel;

prometheus::Gauge& AddGauge(server::Metrics& metrics, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(metrics.registry()).Add({});
}

// The first six bytes of the SHA-256. Prometheus has only doubles, which represent six bytes
// exactly.
double HashOf(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  double hash = 0;
  for (int i = 0; i < 6; ++i) hash = hash * 256 + digest[i];
  return hash;
}

}  // namespace

ConfigFollower::ConfigFollower(Options options, server::Metrics& metrics,
                               std::function<void(const config::BerthConfiguration&)> apply)
    : file_(std::move(options.file)),
      started_with_(std::move(options.config)),
      apply_(std::move(apply)),
      text_(std::move(options.text)),
      generation_(AddGauge(metrics, "berth_config_generation",
                           "Configurations loaded since the start, including the first.")),
      hash_(AddGauge(metrics, "berth_config_hash",
                     "Hash of the configuration in use; replicas with the same configuration have "
                     "the same hash.")),
      successful_(AddGauge(metrics, "berth_config_last_reload_successful",
                           "0: the changed configuration file is broken, and the previous "
                           "configuration stays in use.")),
      restart_needed_(AddGauge(metrics, "berth_config_restart_needed",
                               "1: the configuration file has changes that need a restart.")) {
  generation_.Set(1);
  hash_.Set(HashOf(text_));
  successful_.Set(1);
  if (file_ == yaml::kStandardInput) return;
  watch_ = std::make_unique<server::FileWatch>(std::vector<std::string>{file_}, options.watch,
                                               [this] { Check(); });
}

void ConfigFollower::Check() {
  config::ConfigReading reading = config::ReadConfig(file_);
  if (!reading.ok()) return Refuse(yaml::ToString(reading.errors));
  if (reading.text != text_) return Take(std::move(reading.text), reading.config);
  // The file is the text in use again.
  refused_.clear();
  successful_.Set(1);
}

void ConfigFollower::Take(std::string text, const config::BerthConfiguration& config) {
  apply_(config);
  text_ = std::move(text);
  refused_.clear();
  hash_.Set(HashOf(text_));
  successful_.Set(1);
  const bool restart = NeedsRestart(started_with_, config);
  restart_needed_.Set(restart ? 1 : 0);
  // Comes last, so that whoever reads a new generation also reads what else changed with it.
  generation_.Increment();
  Log(LogLevel::kInfo, "configuration reloaded",
      {{"configFile", file_}, {"config", config::Summarize(config)}});
  if (!restart) return;
  Log(LogLevel::kWarning,
      "the configuration has changes that need a restart: addresses, certificate paths, limits or "
      "the connection to the API server",
      {{"configFile", file_}});
}

void ConfigFollower::Refuse(const std::string& error) {
  successful_.Set(0);
  if (error == refused_) return;
  refused_ = error;
  Log(LogLevel::kError, "the changed configuration is broken; the previous one stays in use",
      {{"configFile", file_}, {"error", error}});
}

bool NeedsRestart(const config::BerthConfiguration& then, const config::BerthConfiguration& now) {
  // Compares the configurations after making equal what can be applied without a restart. So a new
  // field needs a restart until somebody adds it here.
  config::BerthConfiguration rest = now;
  rest.prefix = then.prefix;
  rest.log = then.log;
  rest.accelerators = then.accelerators;
  rest.scheduling = then.scheduling;
  rest.extender.shortlist = then.extender.shortlist;
  rest.planner = then.planner;
  rest.controller = then.controller;
  rest.prometheus = then.prometheus;
  rest.idle = then.idle;
  rest.admission.judgement = then.admission.judgement;
  return rest != then;
}

}  // namespace berth::process
