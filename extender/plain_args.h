#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::extender {

/// ExtenderArgs as kube-scheduler writes them, found but not decoded. The texts point into the
/// reader's buffer and are valid until its next Read().
struct PlainArgs {
  /// Text of an object, from brace to brace; what is inside may not be valid JSON.
  std::string_view pod;
  /// Without quotes. They have no escapes, so each may be written into JSON as it is.
  std::vector<std::string_view> node_names;
};

/// Finds a pod and thousands of names of nodes in a request without decoding them, which takes less
/// time than a parser. ArgsReader tries it first. Not thread-safe: use one for each thread.
class PlainArgsReader {
 public:
  /// A request with more than `most_names` names is not read.
  explicit PlainArgsReader(std::size_t most_names = std::numeric_limits<std::size_t>::max());
  ~PlainArgsReader();

  /// Returns what was found in `body`. Returns nothing if the request contains anything but one pod
  /// and names without escapes, if it has too many names, or if it is not JSON. Then ArgsReader
  /// reads it, and says what is wrong.
  ///
  /// Copies `body` into a buffer that is kept from one request to the next.
  std::optional<PlainArgs> Read(std::string_view body);

 private:
  // simdjson's on-demand parser. Hidden because its size differs in files that are compiled without
  // optimisation.
  struct Parser;

  const std::size_t most_names_;
  std::unique_ptr<Parser> parser_;
  // The request, with the padding that simdjson needs.
  std::string padded_body_;
  // How many names the last request had: space to reserve.
  std::size_t last_name_count_ = 0;
};

}  // namespace berth::extender
