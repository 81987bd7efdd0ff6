// A configuration file.
#include "config/reader.h"
#include "config/writer.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const config::ConfigReading reading = config::ParseConfig(fuzz::TextOf(data, size), "f");
  for (const yaml::SourceError& error : reading.errors) {
    fuzz::Require(!error.message.empty(), "an error has a sentence");
  }
  if (!reading.ok()) return 0;
  const std::string written = config::WriteConfig(reading.config);
  const config::ConfigReading again = config::ParseConfig(written, "f");
  fuzz::Require(again.ok(), "what is written is a configuration");
  fuzz::Require(config::WriteConfig(again.config) == written, "it is the same one");
  return 0;
}
