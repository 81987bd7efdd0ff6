#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kube/page_limit.h"
#include "kube/transport.h"

namespace berth::kube {

/// A server that lists objects in pages. Its continue tokens are the index of the next object.
class PagedServer final : public Transport {
 public:
  /// Returns the body of the page that has the objects from `first` to before `end`.
  using Page = std::function<std::string(const std::string& path, std::size_t first,
                                         std::size_t end, const std::string& continue_token)>;

  /// `objects`: how many there are at each path.
  PagedServer(std::map<std::string, std::size_t> objects, std::string content_type, Page page)
      : objects_(std::move(objects)),
        content_type_(std::move(content_type)),
        page_(std::move(page)) {}

  absl::Status Send(const HttpRequest& request, HttpSink& sink) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::size_t first = NumberIn(request.target, "continue=");
    const std::size_t limit = NumberIn(request.target, "limit=");
    asked.push_back(std::to_string(first) + '+' + std::to_string(limit));
    const std::size_t count = objects_.at(path);
    const std::size_t end = std::min(count, first + limit);
    const absl::Status head = sink.OnHead({.status = 200, .content_type = content_type_});
    if (!head.ok()) return head;
    return sink.OnBody(page_(path, first, end, end == count ? "" : std::to_string(end)));
  }
  void Stop() override {}

  /// The index of the first object and the limit of each request: "0+250".
  std::vector<std::string> asked;

 private:
  static std::size_t NumberIn(const std::string& target, const std::string& before) {
    const std::size_t at = target.find(before);
    return at == std::string::npos ? 0 : std::stoul(target.substr(at + before.size()));
  }

  const std::map<std::string, std::size_t> objects_;
  const std::string content_type_;
  const Page page_;
};

/// A server whose only path has two objects. Its pages are blanks, and too large for PageLimit,
/// whether they have one object or both.
inline PagedServer ServerOfTooLargeObjects(const std::string& path, std::string content_type) {
  return PagedServer(
      {{path, 2}}, std::move(content_type),
      [](const std::string&, std::size_t first, std::size_t end, const std::string&) {
        const std::size_t most =
            end - first == 1 ? PageLimit::kMaxObjectBytes : PageLimit::kMaxPageBytes;
        return std::string(most + 1, ' ');
      });
}

}  // namespace berth::kube
