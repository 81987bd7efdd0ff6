#include "server/file_watch.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "tests/integration/test_pki.h"

namespace berth::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::TempDir;

// A callback that reads one file and can be waited for. Thread-safe.
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)) {}

  void Check() {
    std::ifstream in(file_);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::lock_guard lock(mutex_);
    text_ = text;
    ++checks_;
    changed_.notify_all();
  }

  bool AwaitText(const std::string& text) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(10), [&] { return text_ == text; });
  }

  bool AwaitChecks(int checks) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(10), [&] { return checks_ >= checks; });
  }

  int checks() {
    const std::lock_guard lock(mutex_);
    return checks_;
  }

 private:
  const fs::path file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  int checks_ = 0;
};

class FileWatchTest : public ::testing::Test {
 protected:
  std::unique_ptr<FileWatch> Watch(milliseconds recheck, milliseconds settle = milliseconds(1)) {
    return std::make_unique<FileWatch>(std::vector<std::string>{reader.file},
                                       FileWatchOptions{.recheck = recheck, .settle = settle},
                                       [this] { reader.Check(); });
  }

  TempDir directory;
  struct NamedReader : Reader {
    explicit NamedReader(const fs::path& path) : Reader(path), file(path) {}
    const std::string file;
  } reader{directory.path() / "file"};
};

TEST_F(FileWatchTest, ChecksAtTheStart) {
  directory.Write("file", "there");
  const auto watch = Watch(hours(1));
  EXPECT_TRUE(reader.AwaitText("there"));
}

TEST_F(FileWatchTest, SeesAFileAppearChangeAndMove) {
  const auto watch = Watch(hours(1));
  ASSERT_TRUE(reader.AwaitChecks(1));
  directory.Write("file", "made");
  EXPECT_TRUE(reader.AwaitText("made"));
  directory.Write("file", "overwritten");
  EXPECT_TRUE(reader.AwaitText("overwritten"));
  directory.Write("other", "renamed");
  fs::rename(directory.path() / "other", directory.path() / "file");
  EXPECT_TRUE(reader.AwaitText("renamed"));
  fs::remove(directory.path() / "file");
  EXPECT_TRUE(reader.AwaitText(""));
}

TEST_F(FileWatchTest, WaitsUntilADirectoryIsQuiet) {
  const auto watch = Watch(hours(1), milliseconds(200));
  ASSERT_TRUE(reader.AwaitChecks(1));
  for (int i = 0; i < 50; ++i) directory.Write("file", std::to_string(i));
  EXPECT_TRUE(reader.AwaitText("49"));
  EXPECT_LE(reader.checks(), 10) << "not once for each write";
}

TEST_F(FileWatchTest, LooksNowAndThenWithoutBeingTold) {
  const auto watch = Watch(milliseconds(10));
  EXPECT_TRUE(reader.AwaitChecks(3));
}

TEST_F(FileWatchTest, FollowsADirectoryThatIsReplaced) {
  fs::create_directory(directory.path() / "sub");
  const fs::path file = directory.path() / "sub" / "file";
  Reader inner(file);
  const FileWatch watch({file}, {.recheck = milliseconds(10), .settle = milliseconds(1)},
                        [&] { inner.Check(); });
  directory.Write("sub/file", "first");
  EXPECT_TRUE(inner.AwaitText("first"));
  fs::remove_all(directory.path() / "sub");
  EXPECT_TRUE(inner.AwaitText(""));
  fs::create_directory(directory.path() / "sub");
  directory.Write("sub/file", "second");
  EXPECT_TRUE(inner.AwaitText("second"));
}

TEST_F(FileWatchTest, StopsAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  { const auto watch = Watch(hours(1), hours(1)); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
}

}  // namespace
}  // namespace berth::server
