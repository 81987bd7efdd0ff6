#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// JSON in its original text, found by its brackets and quotes. This tells something about a text
// before a parser spends memory on it, which would be a dozen times its size. Except for
// WithoutMembers(), everything is a view into the text, and nothing allocates.

namespace berth::kube {

/// Returns an upper limit for the number of values (members and items) that a parser would find in
/// `text`. Stops counting once it exceeds `enough`. Takes time in proportion to the text.
std::size_t CountValues(std::string_view text, std::size_t enough);

/// Whether `text` may have more than `most` values. A text has no more values than bytes, so short
/// ones are not read.
bool HasMoreValues(std::string_view text, std::size_t most);

/// Whether `text` is an object or array that is cut off: its last bracket, or a string in it, is
/// not closed. Takes time in proportion to the text.
bool EndsEarly(std::string_view text);

/// Returns `text` with null in place of every member called `name`, at any depth. Such a member
/// costs a parser nothing, whatever it was. Takes time in proportion to the text. `name` must
/// consist of ASCII letters.
std::string WithoutMembers(std::string_view text, std::string_view name);

/// One value within a text, which must outlive it. Only a parser can tell whether the value is
/// valid. A value type.
///
/// For example, this reads the kind of a large object without parsing it:
///
///   const JsonText object(text);
///   const std::optional<JsonText> kind = object.Member("kind");
///   if (kind && kind->Spells("Pod")) ...
class JsonText {
 public:
  /// Takes a whole text, which is one value with optional blanks around it.
  explicit JsonText(std::string_view text);

  /// The value without blanks around it. Empty if the text has nothing else.
  std::string_view text() const { return text_; }

  bool IsNull() const { return text_ == "null"; }
  /// Judged by the first character alone, as is IsArray().
  bool IsObject() const { return text_.starts_with('{'); }
  bool IsArray() const { return text_.starts_with('['); }

  /// The contents of a string without escapes. nullopt for a string with escapes, and for any other
  /// value.
  std::optional<std::string_view> PlainString() const;

  /// Whether this is a string whose value is `name`, even with \uXXXX escapes. `name` must consist
  /// of ASCII letters.
  bool Spells(std::string_view name) const;

  /// Calls visit(JsonText key, JsonText value) for each member of an object, in their order, until
  /// it returns false. Returns whether this is an object that ends where the text ends, or `visit`
  /// returned false. If the object is cut off, the last value that was begun is visited, too.
  template <typename Visit>
  bool ForEachMember(Visit visit) const {
    Cursor cursor(text_);
    if (!cursor.Take('{')) return false;
    if (cursor.Take('}')) return cursor.AtEnd();
    do {
      const JsonText key(cursor.Value());
      if (!key.text_.starts_with('"') || !cursor.Take(':')) return false;
      const std::string_view value = cursor.Value();
      if (value.empty()) return false;
      if (!visit(key, JsonText(value))) return true;
    } while (cursor.Take(','));
    return cursor.Take('}') && cursor.AtEnd();
  }

  /// Calls visit(JsonText value) for each item of an array, likewise.
  template <typename Visit>
  bool ForEachItem(Visit visit) const {
    Cursor cursor(text_);
    if (!cursor.Take('[')) return false;
    if (cursor.Take(']')) return cursor.AtEnd();
    do {
      const std::string_view value = cursor.Value();
      if (value.empty()) return false;
      if (!visit(JsonText(value))) return true;
    } while (cursor.Take(','));
    return cursor.Take(']') && cursor.AtEnd();
  }

  /// The first member of an object with that name, or nullopt if there is none or it is null.
  /// `name` must consist of ASCII letters. If the object is cut off, the member may be cut off,
  /// too.
  std::optional<JsonText> Member(std::string_view name) const;

 private:
  /// A position in the text of an object or array.
  class Cursor {
   public:
    /// Begins before the first character.
    explicit Cursor(std::string_view text) : text_(text) {}
    /// Skips blanks, then consumes `mark` if it comes next. Returns whether it did.
    bool Take(char mark);
    /// Consumes and returns the value that comes next. It reaches to the end of the text if it does
    /// not end before, and is empty if there is none.
    std::string_view Value();
    /// Whether only blanks are left.
    bool AtEnd();

   private:
    /// Moves past blanks.
    void SkipBlanks();

    std::string_view text_;
    std::size_t at_ = 0;
  };

  std::string_view text_;
};

}  // namespace berth::kube
