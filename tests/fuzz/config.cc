// A configuration file.
#include "cli/config_reader.h"
#include "cli/config_writer.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const cli::ConfigReading reading = cli::ParseConfig(fuzz::TextOf(data, size), "f");
  for (const cli::SourceError& error : reading.errors) {
    fuzz::Require(!error.message.empty(), "an error has a sentence");
  }
  if (!reading.ok()) return 0;
  const std::string written = cli::WriteConfig(reading.config);
  const cli::ConfigReading again = cli::ParseConfig(written, "f");
  fuzz::Require(again.ok(), "what is written is a configuration");
  fuzz::Require(cli::WriteConfig(again.config) == written, "it is the same one");
  return 0;
}
