#include "extender/plain_args.h"

#include <simdjson.h>

#include <utility>

namespace berth::extender {
namespace {

namespace ondemand = simdjson::ondemand;

using Names = std::vector<std::string_view>;

// Returns the text of `value` if it is an object.
std::optional<std::string_view> PlainObject(ondemand::value value) {
  ondemand::object object;
  std::string_view text;
  if (value.get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
  if (object.raw_json().get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

// Returns the strings of a list that begins somewhere in `text`, if there are `most` at most. About
// `expected` strings are expected.
std::optional<Names> PlainNames(ondemand::value value, std::string_view text, std::size_t expected,
                                std::size_t most) {
  const auto begin = static_cast<std::size_t>(value.raw_json_token().data() - text.data());
  if (text.find('\\', begin) != std::string_view::npos) return std::nullopt;
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) return std::nullopt;
  Names names;
  names.reserve(expected);
  for (auto item : array) {
    std::string_view token;
    ondemand::raw_json_string consumed;  // otherwise whatever follows the token is skipped unseen
    if (item.raw_json_token().get(token) != simdjson::SUCCESS) return std::nullopt;
    if (item.get_raw_json_string().get(consumed) != simdjson::SUCCESS) return std::nullopt;
    if (names.size() == most) return std::nullopt;
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return std::nullopt;
    names.push_back(token.substr(1, token.size() - 2));
  }
  return names;
}

bool IsNull(ondemand::value value) {
  bool null = false;
  return value.is_null().get(null) == simdjson::SUCCESS && null;
}

}  // namespace

struct PlainArgsReader::Parser {
  ondemand::parser parser;
};

PlainArgsReader::PlainArgsReader(std::size_t most_names)
    : most_names_(most_names), parser_(std::make_unique<Parser>()) {}
PlainArgsReader::~PlainArgsReader() = default;

std::optional<PlainArgs> PlainArgsReader::Read(std::string_view body) {
  padded_body_.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  padded_body_ = body;
  ondemand::document document;
  ondemand::object members;
  if (parser_->parser.iterate(padded_body_).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_object().get(members) != simdjson::SUCCESS) return std::nullopt;
  std::optional<std::string_view> pod;
  std::optional<Names> names;
  for (auto member : members) {
    ondemand::raw_json_string key;
    ondemand::value value;
    if (member.key().get(key) != simdjson::SUCCESS) return std::nullopt;
    if (member.value().get(value) != simdjson::SUCCESS) return std::nullopt;
    bool plain = false;
    if (key == "Pod" && !pod) {
      plain = (pod = PlainObject(value)).has_value();
    } else if (key == "NodeNames" && !names) {
      names = PlainNames(value, padded_body_, last_name_count_, most_names_);
      plain = names.has_value();
    } else if (key == "Nodes") {
      plain = IsNull(value);
    }
    if (!plain) return std::nullopt;
  }
  const bool ended = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (!ended || !pod || !names) return std::nullopt;
  last_name_count_ = names->size();
  return PlainArgs{*pod, *std::move(names)};
}

}  // namespace berth::extender
