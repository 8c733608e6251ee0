// SHA-256 against the vectors of FIPS 180-4, and fed in pieces.

#include "io/sha256.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sconet {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

RC_GTEST_PROP(Sha256, DoesNotDependOnHowItIsFed, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(0, 400);
  const auto bytes = *rc::gen::container<std::string>(length, rc::gen::arbitrary<char>());
  Sha256 sha;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece = std::min(*rc::gen::inRange<std::size_t>(0, 150), bytes.size() - at);
    sha.update(bytes.data() + at, piece);
    at += piece;
  }
  RC_ASSERT(sha.hex() == sha256_hex(bytes));
}

}  // namespace
}  // namespace sconet
