#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace berth::server {

/// What all connections together may hold of large request bodies, so that many clients cannot
/// take the memory that one may. Thread-safe.
class BodyBudget {
 public:
  /// Bodies up to this are not counted: they come all the time, and all connections together hold
  /// no more than this times their number.
  static constexpr std::size_t kSmall = 1024 * 1024;

  explicit BodyBudget(std::size_t bytes) : left_(bytes) {}

  /// Room for one body, given back when this goes. Must not outlive the budget.
  class Share {
   public:
    Share(BodyBudget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}
    ~Share() { budget_->GiveBack(bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    BodyBudget* const budget_;
    const std::size_t bytes_;
  };

  /// Room for a body of `bytes`; null where there is not so much left.
  std::unique_ptr<Share> Take(std::size_t bytes);

 private:
  void GiveBack(std::size_t bytes);

  std::mutex mutex_;
  std::size_t left_;
};

}  // namespace berth::server
