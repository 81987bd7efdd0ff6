#include "certs/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::certs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NamesTest, TellsAddressesFromNames) {
  Names names;
  for (const char* host : {"localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "::1", "Gpu.Example.ORG"}) {
    Add(host, names);
  }
  EXPECT_THAT(names.dns, ElementsAre("gpu.example.org", "localhost"));
  EXPECT_THAT(names.addresses, ElementsAre("127.0.0.1", "::1"));
  EXPECT_THAT(Texts(names),
              ElementsAre("DNS:gpu.example.org", "DNS:localhost", "IP:127.0.0.1", "IP:::1"));
}

TEST(NamesTest, HasAllByWhichAServiceIsKnown) {
  Names names;
  AddService("berth-admission", "berth-system", std::vector<std::string>{"10.96.0.7", "fd00:0::7"},
             names);
  EXPECT_THAT(names.dns, ElementsAre("berth-admission", "berth-admission.berth-system",
                                     "berth-admission.berth-system.svc",
                                     "berth-admission.berth-system.svc.cluster.local"));
  EXPECT_THAT(names.addresses, ElementsAre("10.96.0.7", "fd00::7"));
}

TEST(NamesTest, LeavesOutWhatAHeadlessServiceHasForAnAddress) {
  Names names;
  AddService("berth", "ml", std::vector<std::string>{"None", ""}, names);
  EXPECT_THAT(names.addresses, IsEmpty());
  EXPECT_EQ(names.dns.size(), 4u);
}

}  // namespace
}  // namespace berth::certs
