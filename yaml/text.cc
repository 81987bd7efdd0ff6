#include "yaml/text.h"

#include <algorithm>
#include <string_view>

#include "yaml/scalar.h"

namespace berth::yaml {

namespace {

// The tag of scalars that were in quotes or in a block.
constexpr std::string_view kQuoted = "!";

// Whether a block ("|") preserves the text: it has exactly one line end at its end, and nothing
// that a block would lose.
bool FitsBlock(std::string_view text) {
  if (text.size() < 2 || text.back() != '\n' || text[text.size() - 2] == '\n') return false;
  if (text.front() == ' ' || text.front() == '\n') return false;
  return std::ranges::none_of(text, [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f);
  });
}

void EmitScalar(const YAML::Node& node, bool is_key, YAML::Emitter& out) {
  const std::string& text = node.Scalar();
  const bool is_text = TypeOf(node) == YamlType::kText;
  const bool looks_otherwise = TypeOfPlain(text) != YamlType::kText;
  if (is_text && !is_key && FitsBlock(text)) {
    // The block adds the last line end itself.
    out << YAML::Literal << text.substr(0, text.size() - 1);
  } else if (is_text && (looks_otherwise || (node.Tag() == kQuoted && !is_key))) {
    out << YAML::DoubleQuoted << text;
  } else {
    out << text;
  }
}

class Writer {
 public:
  // A document that is a single flow, like JSON, is written in lines, so that it can be compared.
  explicit Writer(const YAML::Node& root) : keeps_flow_(root.Style() != YAML::EmitterStyle::Flow) {}

  std::string Write(const YAML::Node& root) {
    Emit(root, false);
    return std::string(out_.c_str()) + "\n";
  }

 private:
  void Emit(const YAML::Node& node, bool is_key) {
    if (keeps_flow_ && node.Style() == YAML::EmitterStyle::Flow) out_ << YAML::Flow;
    if (node.IsMap()) return EmitMap(node);
    if (node.IsSequence()) return EmitList(node);
    if (!node.IsScalar()) {
      out_ << YAML::Null;
    } else {
      EmitScalar(node, is_key, out_);
    }
  }

  void EmitMap(const YAML::Node& map) {
    out_ << YAML::BeginMap;
    for (const auto& entry : map) {
      out_ << YAML::Key;
      Emit(entry.first, true);
      out_ << YAML::Value;
      Emit(entry.second, false);
    }
    out_ << YAML::EndMap;
  }

  void EmitList(const YAML::Node& list) {
    out_ << YAML::BeginSeq;
    for (const YAML::Node& item : list) Emit(item, false);
    out_ << YAML::EndSeq;
  }

  const bool keeps_flow_;
  YAML::Emitter out_;
};

}  // namespace

std::string YamlText(const YAML::Node& node) { return Writer(node).Write(node); }

}  // namespace berth::yaml
