#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace berth::cli {

namespace {

// A character of UTF-8 as groff and mandoc name it: "\[u2026]". `text` begins with it; its bytes
// are taken away.
std::string SpecialCharacter(std::string_view& text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = std::min<std::size_t>(text.size(), byte(0) < 0xc0   ? 1
                                                               : byte(0) < 0xe0 ? 2
                                                               : byte(0) < 0xf0 ? 3
                                                                                : 4);
  unsigned code = bytes == 1 ? 0xfffdU : byte(0) & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (byte(i) & 0x3fU);
  text.remove_prefix(bytes);
  return fmt::format("\\[u{:04X}]", code);
}

// Text as roff shows it unchanged: options must be copied from it, so '-' is no hyphen.
std::string Escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const char c = text.front();
    if (static_cast<unsigned char>(c) >= 0x80) {
      escaped += SpecialCharacter(text);
      continue;
    }
    constexpr std::pair<char, std::string_view> kSpecial[] = {{'\\', "\\e"},   {'-', "\\-"},
                                                              {'\'', "\\(aq"}, {'`', "\\(ga"},
                                                              {'^', "\\(ha"},  {'~', "\\(ti"}};
    const auto* special =
        std::ranges::find(kSpecial, c, [](const auto& each) { return each.first; });
    if (special == std::end(kSpecial)) {
      escaped += c;
    } else {
      escaped += special->second;
    }
    text.remove_prefix(1);
  }
  return escaped;
}

// A line of text, which must not be taken for a request.
std::string TextLine(std::string_view text) {
  const std::string escaped = Escaped(text);
  return (escaped.starts_with('.') ? "\\&" : "") + escaped + '\n';
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Whether blanks in the line mean something, as in an example or a table.
bool IsLaidOut(std::string_view line) {
  return line.starts_with(' ') || line.find("  ") != std::string_view::npos;
}

// Paragraphs are filled again; lines that are laid out keep their form.
std::string Paragraphs(const std::string& text) {
  std::string page;
  bool laid_out = false;
  bool new_paragraph = false;
  for (const std::string_view line : LinesOf(text)) {
    if (line.empty()) {
      new_paragraph = true;
      continue;
    }
    if (laid_out && !IsLaidOut(line)) page += ".fi\n";
    if (new_paragraph) page += ".PP\n";
    if (!laid_out && IsLaidOut(line)) page += ".nf\n";
    laid_out = IsLaidOut(line);
    new_paragraph = false;
    page += TextLine(line);
  }
  return page + (laid_out ? ".fi\n" : "");
}

std::string ValueName(const OptionSpec& option) {
  return option.values.empty() ? "value" : fmt::format("{}", fmt::join(option.values, "|"));
}

std::string Heading(const OptionSpec& option) {
  if (option.names.empty()) {
    return fmt::format("\\fI{}\\fR{}", Escaped(option.positional), option.repeatable ? "..." : "");
  }
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(fmt::format("\\fB{}\\fR", Escaped(name)));
  }
  std::string heading = fmt::format("{}", fmt::join(names, ", "));
  if (option.takes_value) heading += fmt::format(" \\fI{}\\fR", Escaped(ValueName(option)));
  return heading;
}

std::string Entries(std::string_view section, const std::vector<OptionSpec>& options) {
  if (options.empty()) return "";
  std::string page = fmt::format(".SH {}\n", section);
  for (const OptionSpec& option : options) {
    page += fmt::format(".TP\n{}\n", Heading(option));
    std::string help = option.help;
    if (!option.default_value.empty()) help += fmt::format(" (default: {})", option.default_value);
    if (option.required) help += " (required)";
    page += TextLine(help);
  }
  return page;
}

// "berth config" gives "berth-config", the name of its page.
std::string Hyphenated(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return path;
}

std::string Synopsis(const CommandSpec& command, const std::string& path) {
  std::string page = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR", Escaped(path));
  if (!command.options.empty()) page += " [\\fIoptions\\fR]";
  for (const OptionSpec& argument : command.arguments) {
    const std::string heading = Heading(argument);
    page += argument.required ? " " + heading : " [" + heading + "]";
  }
  if (!command.commands.empty()) page += " \\fIcommand\\fR ...";
  return page + '\n';
}

std::string Commands(const CommandSpec& command, const std::string& path) {
  if (command.commands.empty()) return "";
  std::string page = ".SH COMMANDS\n";
  for (const CommandSpec& each : command.commands) {
    page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}",
                        Escaped(Hyphenated(fmt::format("{} {}", path, each.name))),
                        TextLine(each.help));
  }
  return page;
}

std::string PageOf(const CommandSpec& command, const std::string& path,
                   const std::string& version) {
  const std::string name = Hyphenated(path);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  // The date is empty: a page is made from the sources alone, so that it is the same every time.
  std::string page =
      fmt::format(".TH {} 1 \"\" \"berth {}\" \"Berth\"\n.SH NAME\n{} \\- {}", Escaped(title),
                  Escaped(version), Escaped(name), TextLine(command.help));
  page += Synopsis(command, path) + Commands(command, path) +
          Entries("ARGUMENTS", command.arguments) + Entries("OPTIONS", command.options);
  if (!command.footer.empty()) page += ".SH NOTES\n" + Paragraphs(command.footer);
  if (path != "berth") page += ".SH SEE ALSO\n\\fBberth\\fR(1)\n";
  return page;
}

void AddPages(const CommandSpec& command, const std::string& path, const std::string& version,
              std::vector<ManPage>& pages) {
  pages.emplace_back(Hyphenated(path) + ".1", PageOf(command, path, version));
  for (const CommandSpec& each : command.commands) {
    AddPages(each, fmt::format("{} {}", path, each.name), version, pages);
  }
}

}  // namespace

std::vector<ManPage> ManPagesOf(const CommandSpec& program, const std::string& version) {
  std::vector<ManPage> pages;
  AddPages(program, program.name, version, pages);
  return pages;
}

}  // namespace berth::cli
