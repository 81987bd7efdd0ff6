// Amounts as people write them.
#include "model/quantity.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::TextOf(data, size);
  const auto quantity = model::Quantity::Parse(text);
  const auto amount = model::Quantity::ParseAmount(text);
  fuzz::RequireSentence(quantity.status());
  fuzz::Require(quantity.ok() == amount.ok(), "both ways to parse agree");
  if (!quantity.ok()) return 0;
  fuzz::Require(quantity->amount() == *amount, "both ways to parse give the same");
  return 0;
}
