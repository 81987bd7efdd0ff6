#include "yaml/document.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace berth::yaml {

namespace {

// A longer path of a field would fill the screen. And if one key is long, the paths of all values
// below it would take time that is quadratic in the size of the text.
constexpr std::size_t kMaxPath = 200;

// Translates an exception of yaml-cpp for people who do not know yaml-cpp.
SourceError SyntaxError(const YAML::Exception& error, const std::string& file) {
  const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return {file, line, "", fmt::format("is nested deeper than {} levels", kMaxYamlDepth)};
  }
  return {file, line, "", fmt::format("is not YAML: {}", error.msg)};
}

// Throws if a document begins where the one before it began. At a comma in place of a document,
// yaml-cpp (0.7.0) finds an empty document and does not move on: LoadAll would append such
// documents to its list until the memory is exhausted.
class ProgressCheck final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (begin_ == mark.pos) throw YAML::ParserException(mark, "no value can begin like this");
    begin_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::optional<int> begin_;
};

// Throws what LoadAll throws, and also where LoadAll would never end.
void CheckThatItEnds(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  ProgressCheck check;
  while (parser.HandleNextDocument(check)) {
  }
}

// Returns `below`, which is a path within `path`; if that is too long, `path` and dots.
std::string Shortened(const std::string& path, std::string below) {
  if (path.ends_with("...")) return path;
  if (below.size() > kMaxPath) return path + "...";
  return below;
}

// Walks the documents of one text as their readers will, and follows every alias.
class Checker {
 public:
  Checker(const std::string& file, std::vector<SourceError>& errors)
      : file_(file), errors_(errors) {}

  void Check(const YAML::Node& node, const std::string& path, int depth) {
    if (exhausted_) return;
    if (depth > kMaxYamlDepth) {
      return Exhaust(node, path, fmt::format("is nested deeper than {} levels", kMaxYamlDepth));
    }
    if (++values_ > kMaxYamlValues) {
      return Exhaust(node, path, fmt::format("has more than {} values", kMaxYamlValues));
    }
    if (node.IsScalar()) CheckContent(node, path);
    if (node.IsMap()) CheckMap(node, path, depth);
    if (node.IsSequence()) {
      for (std::size_t i = 0; i < node.size() && !exhausted_; ++i) {
        Check(node[i], Shortened(path, ItemPath(path, i)), depth + 1);
      }
    }
  }

 private:
  void CheckContent(const YAML::Node& scalar, const std::string& path) {
    content_ += scalar.Scalar().size();
    if (content_ <= kMaxYamlContent) return;
    Exhaust(scalar, path,
            fmt::format("has more than {} bytes, because of its aliases", kMaxYamlContent));
  }

  void CheckMap(const YAML::Node& map, const std::string& path, int depth) {
    std::map<std::string, int> lines;
    for (const auto& entry : map) {
      if (exhausted_) return;
      const YAML::Node& key = entry.first;
      if (!key.IsScalar()) {
        Add(LineOf(key), path, "has a key that is not text");
        // It counts, or aliases of its map would give errors without end.
        Check(key, path, depth + 1);
        continue;
      }
      const std::string field = Shortened(path, FieldPath(path, key.Scalar()));
      const auto [first, is_new] = lines.emplace(key.Scalar(), LineOf(key));
      if (!is_new) {
        Add(LineOf(key), field,
            fmt::format("is given in line {} already; keep one", first->second));
      }
      CheckContent(key, path);
      Check(entry.second, field, depth + 1);
    }
  }

  void Exhaust(const YAML::Node& node, const std::string& path, std::string message) {
    exhausted_ = true;
    Add(LineOf(node), path, std::move(message));
  }

  void Add(int line, const std::string& path, std::string message) {
    errors_.push_back({file_, line, path, std::move(message)});
  }

  const std::string& file_;
  std::vector<SourceError>& errors_;
  std::size_t values_ = 0;
  std::size_t content_ = 0;
  bool exhausted_ = false;
};

}  // namespace

int LineOf(const YAML::Node& node) { return node.Mark().is_null() ? 0 : node.Mark().line + 1; }

YamlDocuments ParseYaml(std::string_view text, const std::string& file) {
  YamlDocuments result;
  if (text.size() > kMaxYamlBytes) {
    result.errors.push_back({file, 0, "", fmt::format("is longer than {} bytes", kMaxYamlBytes)});
    return result;
  }
  try {
    const std::string copy(text);
    CheckThatItEnds(copy);
    Checker checker(file, result.errors);
    for (const YAML::Node& document : YAML::LoadAll(copy)) {
      if (document.IsNull()) continue;
      checker.Check(document, "", 1);
      result.documents.push_back(document);
    }
  } catch (const YAML::Exception& error) {
    result.errors.push_back(SyntaxError(error, file));
  }
  return result;
}

}  // namespace berth::yaml
