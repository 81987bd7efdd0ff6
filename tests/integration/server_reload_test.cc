#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <ostream>
#include <vector>

#include "tests/integration/server_fixture.h"

namespace berth::tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// What on_reload was told. Thread-safe.
class Reloads {
 public:
  void Add(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    told_.push_back(status);
    changed_.notify_all();
  }
  // Whether files were taken over, or refused for a reason that holds `error`, since the last call
  // for it. Other reports are passed over: a slow machine may show two files between their writes.
  bool AwaitSuccess() {
    return Await([](const absl::Status& status) { return status.ok(); });
  }
  bool AwaitError(const std::string& error) {
    return Await([&](const absl::Status& status) {
      return !status.ok() && status.ToString().find(error) != std::string::npos;
    });
  }

 private:
  template <class Predicate>
  bool Await(const Predicate& predicate) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] {
      while (given_ < told_.size()) {
        if (predicate(told_[given_++])) return true;
      }
      return false;
    });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<absl::Status> told_;
  std::size_t given_ = 0;
};

// A server whose certificate files change under it.
class ServerReloadTest : public ServerTest {
 protected:
  // The files' paths are `folder`/tls.crt and tls.key below `directory`.
  void StartWith(const std::string& folder = "", milliseconds recheck = std::chrono::hours(1)) {
    server::TlsCertificatesOptions watched;
    watched.files.certificate = directory.path() / folder / "tls.crt";
    watched.files.key = directory.path() / folder / "tls.key";
    watched.watch = {.recheck = recheck, .settle = milliseconds(20)};
    watched.on_reload = [told = reloads](const absl::Status& status) { told->Add(status); };
    auto opened = server::TlsCertificates::Open(std::move(watched));
    ASSERT_TRUE(opened.ok()) << opened.status();
    options.tls = *std::move(opened);
    tls.ca = ca.certificate();
    Start();
  }

  void Write(const PemPair& pair) {
    directory.Write("tls.crt", pair.certificate);
    directory.Write("tls.key", pair.key);
  }

  // Writes to another name and renames, as careful programs do.
  void Rename(const std::string& name, const std::string& text) {
    directory.Write("new", text);
    fs::rename(directory.path() / "new", directory.path() / name);
  }

  std::string Serial() {
    const auto client = Connect();
    EXPECT_TRUE(client->connected()) << client->error();
    return client->server_serial();
  }

  // Shared with the watch, which goes with `options`, after this.
  std::shared_ptr<Reloads> reloads = std::make_shared<Reloads>();
};

TEST_F(ServerReloadTest, TakesFilesThatWereOverwritten) {
  Write(ca.Issue());
  StartWith();
  const std::string first = Serial();
  Write(ca.Issue());
  EXPECT_TRUE(reloads->AwaitSuccess());
  EXPECT_NE(Serial(), first);
  EXPECT_EQ(options.tls->reloads(), 1U);
}

TEST_F(ServerReloadTest, TakesFilesThatWereDeletedAndMadeAgain) {
  Write(ca.Issue());
  StartWith();
  const std::string first = Serial();
  fs::remove(directory.path() / "tls.crt");
  fs::remove(directory.path() / "tls.key");
  EXPECT_TRUE(reloads->AwaitError("tls.crt: cannot read the certificate"));
  EXPECT_EQ(Serial(), first);
  Write(ca.Issue());
  EXPECT_TRUE(reloads->AwaitSuccess());
  EXPECT_NE(Serial(), first);
}

TEST_F(ServerReloadTest, TakesFilesThatWereRenamedOver) {
  Write(ca.Issue());
  StartWith();
  const std::string first = Serial();
  const PemPair next = ca.Issue();
  Rename("tls.crt", next.certificate);
  Rename("tls.key", next.key);
  EXPECT_TRUE(reloads->AwaitSuccess());
  EXPECT_NE(Serial(), first);
}

// Kubernetes' way: mount/tls.crt -> ..data/tls.crt, ..data -> a directory of this version.
TEST_F(ServerReloadTest, FollowsTheDataLinkOfAMountedSecret) {
  const fs::path mount = directory.path() / "mount";
  const auto write_version = [&](const std::string& version) {
    const PemPair pair = ca.Issue();
    fs::create_directories(mount / version);
    directory.Write("mount/" + version + "/tls.crt", pair.certificate);
    directory.Write("mount/" + version + "/tls.key", pair.key);
  };
  write_version("..1");
  fs::create_directory_symlink("..1", mount / "..data");
  for (const std::string name : {"tls.crt", "tls.key"}) {
    fs::create_symlink("..data/" + name, mount / name);
  }
  StartWith("mount");
  const std::string first = Serial();

  write_version("..2");
  fs::create_directory_symlink("..2", mount / "..data_tmp");
  fs::rename(mount / "..data_tmp", mount / "..data");
  fs::remove_all(mount / "..1");
  EXPECT_TRUE(reloads->AwaitSuccess());
  EXPECT_NE(Serial(), first);
}

TEST_F(ServerReloadTest, FindsChangesThatNobodyTellsOf) {
  // The watched directory holds links into another one, which is not watched.
  fs::create_directories(directory.path() / "links");
  Write(ca.Issue());
  for (const std::string name : {"tls.crt", "tls.key"}) {
    fs::create_symlink(directory.path() / name, directory.path() / "links" / name);
  }
  StartWith("links", milliseconds(50));
  const std::string first = Serial();
  Write(ca.Issue());
  EXPECT_TRUE(reloads->AwaitSuccess());
  EXPECT_NE(Serial(), first);
}

TEST_F(ServerReloadTest, LiveConnectionsEndWithWhatTheyBeganWith) {
  Write(ca.Issue());
  StartWith();
  const auto live = Connect();
  ASSERT_TRUE(live->Send(Request("GET", "/hello")));
  ASSERT_EQ(live->ReadReply().body, "hello");
  Write(ca.Issue());
  ASSERT_TRUE(reloads->AwaitSuccess());
  ASSERT_TRUE(live->Send(Request("GET", "/hello")));
  EXPECT_EQ(live->ReadReply().body, "hello");
  EXPECT_NE(Serial(), live->server_serial());
}

struct Broken {
  std::string name;
  // What stands in the files afterwards, made from the pair in use and from another good one.
  PemPair (*files)(const TestCa& ca, const PemPair& used, const PemPair& other);
  std::string error;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

const Broken kBroken[] = {
    {"Garbage",
     [](const TestCa&, const PemPair&, const PemPair& other) {
       return PemPair{"no certificate", other.key};
     },
     "tls.crt: holds no PEM certificate"},
    {"HalfWritten",
     [](const TestCa&, const PemPair&, const PemPair& other) {
       return PemPair{other.certificate.substr(0, other.certificate.size() / 2), other.key};
     },
     "tls.crt: broken certificate"},
    {"Empty", [](const TestCa&, const PemPair&, const PemPair&) { return PemPair{}; },
     "tls.crt: holds no PEM certificate"},
    {"KeyOfAnother",
     [](const TestCa&, const PemPair& used, const PemPair& other) {
       return PemPair{other.certificate, used.key};
     },
     "tls.key: is not the key of the certificate in"},
    {"NoKey",
     [](const TestCa&, const PemPair&, const PemPair& other) {
       return PemPair{other.certificate, other.certificate};
     },
     "tls.key: holds no PEM private key"},
    {"Expired",
     [](const TestCa& ca, const PemPair&, const PemPair&) {
       LeafOptions leaf;
       leaf.valid_until = std::chrono::seconds(-60);
       return ca.Issue(leaf);
     },
     "tls.crt: the certificate expired at"},
};

class ServerBrokenReloadTest : public ServerReloadTest,
                               public ::testing::WithParamInterface<Broken> {};

INSTANTIATE_TEST_SUITE_P(Files, ServerBrokenReloadTest, ::testing::ValuesIn(kBroken),
                         [](const auto& each) { return each.param.name; });

TEST_P(ServerBrokenReloadTest, KeepsServingAndRecovers) {
  const PemPair used = ca.Issue();
  const PemPair other = ca.Issue();
  Write(used);
  StartWith();
  const std::string first = Serial();

  const PemPair broken = GetParam().files(ca, used, other);
  Write(broken);
  EXPECT_TRUE(reloads->AwaitError(directory.path().string() + "/" + GetParam().error));
  EXPECT_EQ(Serial(), first);
  EXPECT_GE(options.tls->reload_failures(), 1U);

  Write(other);
  EXPECT_TRUE(reloads->AwaitSuccess());
  EXPECT_NE(Serial(), first);
}

}  // namespace
}  // namespace berth::tests
