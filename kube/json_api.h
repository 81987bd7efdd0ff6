#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kube/json_value.h"
#include "kube/page_limit.h"
#include "kube/permission.h"
#include "kube/transport.h"

namespace berth::kube {

/// A permission that a request needs, for what it is about. A plain value.
struct Need {
  Permission permission;
  /// The namespace. Empty for all namespaces, and for resources without namespaces.
  std::string namespace_name = {};
  /// The name of the object. Empty for all objects.
  std::string name = {};
};

/// Returns text for people: "get secrets in namespace berth-system".
std::string ToString(const Need& need);

/// Which objects of a kind are meant. Empty for all. A plain value.
struct Selectors {
  /// As in "app=berth,tier!=db".
  std::string labels = {};
  /// As in "spec.nodeName=gpu-7".
  std::string fields = {};
};

/// Lists, reads and creates objects in JSON. Every function blocks until the API server has
/// answered. Errors are those of kube::CallJson, except that PermissionDenied says in the words of
/// `need` which permission is missing. A reply that cannot be read is Unavailable. Not thread-safe.
///
///   Api api(&client);
///   const Need need{.permission = {"", "nodes", "list"}};
///   const absl::Status listed = api.List("/api/v1/nodes", need, [&](const JsonValue& node) {
///     names.push_back(node.Field("metadata").Field("name").Text());
///   });
///
/// The callbacks are called on the calling thread. Their JsonValue is valid only during the call.
/// Errors that they cause in it make the function fail.
class Api {
 public:
  /// `transport` must outlive this object, and may be used by others between the calls.
  explicit Api(Transport* transport) : transport_(transport) {}

  /// Reads the object at `path` and passes it to `read`. OutOfRange if it has more than `most`
  /// bytes.
  absl::Status Get(const std::string& path, const Need& need,
                   const std::function<void(const JsonValue& object)>& read,
                   std::size_t most = PageLimit::kMaxObjectBytes);

  /// Lists the objects at `path` page by page, and passes each to `take`. On an error, some objects
  /// may have been passed already. A page that is too large is asked for again with fewer objects;
  /// see PageLimit.
  absl::Status List(const std::string& path, const Need& need,
                    const std::function<void(const JsonValue& item)>& take,
                    const Selectors& selectors = {});

  /// Creates an object from `body` by a POST to `path`, and passes the server's version of it to
  /// `read`.
  absl::Status Create(const std::string& path, const Need& need, std::string body,
                      const std::function<void(const JsonValue& object)>& read);

 private:
  absl::Status Call(HttpMethod method, const std::string& target, const Need& need,
                    std::string body, const std::function<void(const JsonValue& object)>& read,
                    std::size_t most = PageLimit::kMaxObjectBytes);

  Transport* const transport_;
};

}  // namespace berth::kube
