#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::extender {

/// ExtenderArgs as kube-scheduler writes them, not decoded. Into the reader's buffer: valid until
/// it reads again.
struct PlainArgs {
  /// An object, which may not be JSON within.
  std::string_view pod;
  /// Each may stand in JSON as it is.
  std::vector<std::string_view> node_names;
};

/// Finds thousands of names where they stand in a request, in less time than it takes to decode it.
/// Not thread-safe: one per thread.
class PlainArgsReader {
 public:
  /// `most_names`: a request of more is none of a pod and names.
  explicit PlainArgsReader(std::size_t most_names = std::numeric_limits<std::size_t>::max());
  ~PlainArgsReader();

  /// Nothing where there is anything else than a pod and names without escapes, which is for others
  /// to read, and where `body` is not JSON.
  std::optional<PlainArgs> Read(std::string_view body);

 private:
  // simdjson's on-demand parser is of another size in files that are compiled without optimisation.
  struct Parser;

  const std::size_t most_names_;
  std::unique_ptr<Parser> parser_;
  std::string padded_body_;
  std::size_t names_before_ = 0;
};

}  // namespace berth::extender
