#include "server/listener_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace berth::server {
namespace {

using testing::HasSubstr;

// What is logged while `act` runs.
std::string LogOf(const std::function<void(ListenerLog&)>& act) {
  ListenerLog log("extender");
  testing::internal::CaptureStderr();
  act(log);
  return testing::internal::GetCapturedStderr();
}

TEST(ListenerLog, TellsWhatIsWrong) {
  EXPECT_THAT(LogOf([](ListenerLog& log) { log.OnError("handler threw"); }),
              HasSubstr("\"listener\":\"extender\",\"error\":\"handler threw\""));
  EXPECT_THAT(LogOf([](ListenerLog& log) { log.OnLimit(Limit::kConnections); }),
              HasSubstr("\"limit\":\"connections\""));
  EXPECT_THAT(LogOf([](ListenerLog& log) { log.OnHandshakeFailed(HandshakeFailure::kNotTls); }),
              HasSubstr("\"cause\":\"not_tls\""));
}

TEST(ListenerLog, KeepsQuietAboutProbes) {
  EXPECT_EQ(LogOf([](ListenerLog& log) { log.OnHandshakeFailed(HandshakeFailure::kClosed); }), "");
}

TEST(ListenerLog, DoesNotRepeatItself) {
  const std::string text = LogOf([](ListenerLog& log) {
    for (int i = 0; i < 50; ++i) log.OnError("again");
  });
  EXPECT_EQ(text.find("again"), text.rfind("again"));
}

}  // namespace
}  // namespace berth::server
