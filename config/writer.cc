#include "config/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "yaml/scalar.h"

namespace berth::config {

namespace {

using Kind = ConfigValue::Kind;

constexpr std::size_t kColumns = 100;

bool IsPlain(const std::string& text) {
  const auto is_safe = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  };
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), is_safe) &&
         yaml::TypeOfPlain(text) == yaml::YamlType::kText;
}

std::string DoubleQuoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Quoted(const std::string& text) {
  if (IsPlain(text)) return text;
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  // Regular expressions with backslashes are easier to read in single quotes.
  const bool fits_single = text.find('\\') != std::string::npos &&
                           text.find('\'') == std::string::npos &&
                           std::none_of(text.begin(), text.end(), is_control);
  return fits_single ? "'" + text + "'" : DoubleQuoted(text);
}

// The value on one line.
std::string Flow(const ConfigValue& value) {
  if (value.kind == Kind::kPlain) return value.scalar;
  if (value.kind == Kind::kText) return Quoted(value.scalar);
  std::vector<std::string> parts;
  for (const ConfigValue& item : value.items) parts.push_back(Flow(item));
  for (const auto& [key, member] : value.members) {
    if (member.kind != Kind::kAbsent) parts.push_back(key + ": " + Flow(member));
  }
  const auto inner = fmt::format("{}", fmt::join(parts, ", "));
  return value.kind == Kind::kMap ? "{" + inner + "}" : "[" + inner + "]";
}

class Writer {
 public:
  void Fields(const std::vector<ConfigField>& fields, std::size_t indent) {
    for (const ConfigField& field : fields) {
      if (indent == 0 && !text_.empty()) text_ += '\n';
      Comment(indent, "", field.help + ".");
      if (field.value.kind == Kind::kMap) {
        Line(indent, field.key + ":");
        Fields(field.fields, indent + 2);
        continue;
      }
      for (const ConfigField& part : field.fields) EntryComment(part, indent);
      Value(field.key + ":", field.value, indent);
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void Line(std::size_t indent, std::string_view line) {
    text_.append(indent, ' ').append(line).append("\n");
  }

  // Writes a wrapped comment. `bullet` starts the first line; the others are indented by its width.
  void Comment(std::size_t indent, std::string_view bullet, std::string_view comment) {
    const std::size_t width = kColumns - indent - 2;
    std::string line(bullet);
    bool begun = false;
    while (!comment.empty()) {
      const std::string_view word = comment.substr(0, comment.find(' '));
      comment.remove_prefix(std::min(comment.size(), word.size() + 1));
      if (begun && line.size() + 1 + word.size() > width) {
        Line(indent, "# " + line);
        line.assign(bullet.size(), ' ');
        begun = false;
      }
      if (begun) line += ' ';
      line += word;
      begun = true;
    }
    Line(indent, "# " + line);
  }

  // Describes a field of a list's entries.
  void EntryComment(const ConfigField& part, std::size_t indent) {
    const std::string fallback = part.required                      ? "required"
                                 : part.value.kind == Kind::kAbsent ? "optional"
                                                                    : Flow(part.value);
    Comment(indent, "- ", fmt::format("{} ({}): {}", part.key, fallback, part.help));
    for (const ConfigField& inner : part.fields) {
      Comment(indent, "  - ", fmt::format("{}: {}", inner.key, inner.help));
    }
  }

  // Writes the value on the line of its key if it fits there, and otherwise one entry per line.
  void Value(const std::string& key, const ConfigValue& value, std::size_t indent) {
    if (value.kind == Kind::kAbsent) return;
    const std::string line = key + " " + Flow(value);
    if (value.kind != Kind::kList || value.items.empty() || indent + line.size() <= kColumns) {
      return Line(indent, line);
    }
    Line(indent, key);
    for (const ConfigValue& item : value.items) Item(item, indent);
  }

  void Item(const ConfigValue& item, std::size_t indent) {
    const std::string line = "- " + Flow(item);
    if (item.kind != Kind::kMap || indent + line.size() <= kColumns) return Line(indent, line);
    // The first member is on the line of the dash.
    const std::size_t begin = text_.size();
    for (const auto& [key, member] : item.members) Value(key + ":", member, indent + 2);
    text_[begin + indent] = '-';
  }

  std::string text_;
};

}  // namespace

std::string WriteInline(const ConfigValue& value) { return Flow(value); }

std::string WriteConfig(const BerthConfiguration& config) {
  Writer writer;
  writer.Fields(Describe(config), 0);
  return writer.Take();
}

}  // namespace berth::config
