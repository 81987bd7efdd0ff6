#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kube/protobuf.h"

namespace berth::kube {
namespace {

std::string Frame(const std::string& payload) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(payload.size() >> shift & 0xff));
  }
  return frame + payload;
}

std::vector<std::string> Drain(WatchFrameSplitter& splitter) {
  std::vector<std::string> frames;
  while (true) {
    const auto frame = splitter.Next();
    EXPECT_TRUE(frame.ok()) << frame.status();
    if (!frame.ok() || !*frame) return frames;
    frames.emplace_back(**frame);
  }
}

const std::vector<std::string> kPayloads = {"first", "", std::string(300, 'x'),
                                            std::string("\0\0\0\1", 4), "last"};

std::string AllFrames() {
  std::string body;
  for (const std::string& payload : kPayloads) body += Frame(payload);
  return body;
}

TEST(WatchFrameSplitterTest, FramesComeOutWholeHoweverTheBodyIsCut) {
  const std::string body = AllFrames();
  for (std::size_t size = 1; size <= body.size(); ++size) {
    WatchFrameSplitter splitter;
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < body.size(); at += size) {
      splitter.Append(std::string_view(body).substr(at, size));
      for (std::string& frame : Drain(splitter)) frames.push_back(std::move(frame));
    }
    EXPECT_EQ(frames, kPayloads) << "in pieces of " << size;
    EXPECT_TRUE(splitter.AtBoundary());
  }
}

TEST(WatchFrameSplitterTest, KnowsThatAFrameHasBegun) {
  const std::string body = Frame("payload");
  for (std::size_t size = 1; size < body.size(); ++size) {
    WatchFrameSplitter splitter;
    splitter.Append(body.substr(0, size));
    EXPECT_TRUE(Drain(splitter).empty());
    EXPECT_FALSE(splitter.AtBoundary()) << size;
  }
}

TEST(WatchFrameSplitterTest, IsAtABoundaryBeforeAnything) {
  WatchFrameSplitter splitter;
  EXPECT_TRUE(splitter.AtBoundary());
  EXPECT_TRUE(Drain(splitter).empty());
}

TEST(WatchFrameSplitterTest, RefusesLengthsThatNoObjectHas) {
  WatchFrameSplitter splitter;
  splitter.Append(std::string("\x04\x00\x00\x01", 4));  // 64 MiB and a byte
  const auto frame = splitter.Next();
  EXPECT_EQ(frame.status().code(), absl::StatusCode::kDataLoss);

  WatchFrameSplitter text;
  text.Append("HTTP/1.1 500");
  EXPECT_FALSE(text.Next().ok());
}

TEST(WatchFrameSplitterTest, WaitsForAFrameOfTheGreatestLength) {
  WatchFrameSplitter splitter;
  splitter.Append(std::string("\x01\x00\x00\x00", 4));
  const auto frame = splitter.Next();
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(*frame, std::nullopt);
}

}  // namespace
}  // namespace berth::kube
