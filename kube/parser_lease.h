#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>

namespace berth::kube {

/// Lends a parser for one text.
///
/// For a text of up to `kMostKept` bytes it is the thread's own parser, whose buffers are worth
/// keeping. For a larger one it is a new parser, which is destroyed with the lease. Of these, only
/// one of each kind of lease exists at a time in the process, because parsing takes several times
/// the size of the text. Use a lease on one thread.
template <typename Parser, std::size_t kMostKept>
class ParserLease {
 public:
  /// Makes parsers from `args`. Blocks while another lease for a large text lives.
  template <typename... Args>
  explicit ParserLease(std::string_view text, const Args&... args) {
    thread_local Parser kept(args...);
    static std::mutex large;
    if (text.size() > kMostKept) {
      turn_ = std::unique_lock(large);
      own_.emplace(args...);
    }
    parser_ = own_ ? &*own_ : &kept;
  }
  ParserLease(const ParserLease&) = delete;
  ParserLease& operator=(const ParserLease&) = delete;

  /// The parser. Valid as long as the lease.
  Parser& operator*() const { return *parser_; }
  Parser* operator->() const { return parser_; }

 private:
  std::unique_lock<std::mutex> turn_;  // released after the parser is destroyed
  // Set for a large text.
  std::optional<Parser> own_;
  // Never null: own_, or the thread's parser.
  Parser* parser_ = nullptr;
};

}  // namespace berth::kube
