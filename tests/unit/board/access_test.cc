#include "board/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace berth::board {
namespace {

using Fields = std::map<std::string, std::string>;

server::HttpRequest With(const Fields& fields) {
  return {.method = "GET", .target = "/", .field = [&fields](std::string_view name) {
            const auto found = fields.find(std::string(name));
            return found == fields.end() ? std::string_view() : std::string_view(found->second);
          }};
}

int StatusOfData(const Fields& fields) {
  const auto refusal = Access("s3cret", 4711).RefuseData(With(fields));
  return refusal ? refusal->status : 200;
}

TEST(BoardAccess, DataTakesTheTokenAndTheBoardsOwnHostAndOrigin) {
  const std::string token = "Bearer s3cret";
  const struct {
    Fields fields;
    int status;
  } cases[] = {
      {{{"Host", "127.0.0.1:4711"}, {"Authorization", token}}, 200},
      {{{"Host", "localhost:4711"}, {"Authorization", token}}, 200},
      // Forwarded from another port.
      {{{"Host", "127.0.0.1:4712"}, {"Authorization", token}}, 200},
      {{{"Host", "[::1]:4712"}, {"Authorization", token}}, 200},
      {{{"Host", "localhost"}, {"Authorization", token}}, 200},
      {{{"Host", "127.0.0.1:4711"}, {"Origin", "http://127.0.0.1:4711"}, {"Authorization", token}},
       200},
      {{{"Host", "127.0.0.1:4711"}}, 401},
      {{{"Host", "127.0.0.1:4711"}, {"Authorization", "Bearer s3creT"}}, 401},
      {{{"Host", "127.0.0.1:4711"}, {"Authorization", "Bearer s3cret2"}}, 401},
      {{{"Host", "127.0.0.1:4711"}, {"Authorization", "Bearer "}}, 401},
      {{{"Host", "127.0.0.1:4711"}, {"Authorization", "s3cret"}}, 401},
      // A page whose name points at 127.0.0.1 by now.
      {{{"Host", "evil.example:4711"}, {"Authorization", token}}, 421},
      {{{"Host", "localhost.evil.example:4711"}, {"Authorization", token}}, 421},
      {{{"Host", "127.0.0.1.evil.example"}, {"Authorization", token}}, 421},
      {{{"Host", "127.0.0.1:evil.example"}, {"Authorization", token}}, 421},
      {{{"Host", "127.0.0.1:"}, {"Authorization", token}}, 421},
      {{{"Host", "127.0.0.2:4711"}, {"Authorization", token}}, 421},
      {{{"Authorization", token}}, 421},
      // Pages of others, of another port or without an origin.
      {{{"Host", "127.0.0.1:4711"}, {"Origin", "https://evil.example"}, {"Authorization", token}},
       403},
      {{{"Host", "127.0.0.1:4711"}, {"Origin", "http://127.0.0.1:4712"}, {"Authorization", token}},
       403},
      {{{"Host", "127.0.0.1:4711"}, {"Origin", "null"}, {"Authorization", token}}, 403},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(StatusOfData(test.fields), test.status) << ::testing::PrintToString(test.fields);
  }
}

TEST(BoardAccess, ThePageTakesNoTokenButTheRightHostAndOrigin) {
  const Access access("s3cret", 4711);
  const auto status = [&](const Fields& fields) {
    const auto refusal = access.RefusePage(With(fields));
    return refusal ? refusal->status : 200;
  };
  EXPECT_EQ(status({{"Host", "127.0.0.1:4711"}}), 200);
  EXPECT_EQ(status({{"Host", "evil.example"}}), 421);
  EXPECT_EQ(status({{"Host", "127.0.0.1:4711"}, {"Origin", "https://evil.example"}}), 403);
}

TEST(BoardAccess, TokensAreLongAndNeverTheSame) {
  EXPECT_EQ(MakeToken().size(), 64U);
  EXPECT_NE(MakeToken(), MakeToken());
}

TEST(BoardAccess, TheTokenStandsWhereBrowsersDoNotSendIt) {
  EXPECT_EQ(Access("s3cret", 4711).Url(), "http://127.0.0.1:4711/#s3cret");
}

TEST(BoardAccess, EveryAnswerForbidsOtherHostsFramesAndCaches) {
  Fields fields;
  for (const auto& [name, value] : Guarded({}).fields) fields[name] = value;
  EXPECT_THAT(fields["Content-Security-Policy"], ::testing::HasSubstr("default-src 'none'"));
  EXPECT_THAT(fields["Content-Security-Policy"], ::testing::HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(fields["Cache-Control"], "no-store");
  EXPECT_EQ(fields["X-Content-Type-Options"], "nosniff");
}

}  // namespace
}  // namespace berth::board
