#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <string>
#include <string_view>

#include "kube/json_value.h"
#include "kube/permission.h"
#include "kube/transport.h"

namespace berth::kube {

/// Something that is asked of the API server.
struct Need {
  Permission permission;
  /// Empty: in all namespaces, or of what has none.
  std::string namespace_name = {};
  /// Of the object; empty: of all.
  std::string name = {};
};

/// "get secrets in namespace berth-system".
std::string ToString(const Need& need);

/// Lists and reads objects in JSON. Errors as of kube::CallJson, but PERMISSION_DENIED says in
/// `need`'s words what there is no right to. Not thread-safe.
class Api {
 public:
  /// `transport` must outlive this.
  explicit Api(Transport* transport) : transport_(transport) {}

  /// Gives `read` the object at `path`. Its error, or that of what it read.
  absl::Status Get(const std::string& path, const Need& need,
                   const std::function<void(const JsonValue& object)>& read);

  /// Gives `take` every item of a list, page by page. `selector` is one of labels.
  absl::Status List(const std::string& path, const Need& need,
                    const std::function<void(const JsonValue& item)>& take,
                    const std::string& selector = {});

  /// Creates an object and gives `read` what the server made of it.
  absl::Status Create(const std::string& path, const Need& need, std::string body,
                      const std::function<void(const JsonValue& object)>& read);

 private:
  absl::Status Call(HttpMethod method, const std::string& target, const Need& need,
                    std::string body, const std::function<void(const JsonValue& object)>& read);

  Transport* const transport_;
};

}  // namespace berth::kube
