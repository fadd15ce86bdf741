#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cubin/fixtures.h"

namespace warpgauge::cubin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::size_t differences(const Bytes& a, const Bytes& b) {
  std::size_t count = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

class PatchedModule : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Patch, PatchedModule, testing::ValuesIn(modules), case_name);

TEST_P(PatchedModule, SettingWhatIsThereAlreadyLeavesEveryByteAsItWas) {
  const Bytes file = data_bytes(GetParam());
  const Image image(file);
  Patch patch(file);
  EXPECT_EQ(patch.bytes(), file);
  for (const Kernel& k : image.kernels()) {
    patch.set_code(k.name, k.code);
    patch.set_registers(k.name, k.registers);
    patch.set_barriers(k.name, k.barriers);
    patch.set_frame_bytes(k.name, k.frame_bytes);
    if (k.user_shared_bytes() != 0) patch.set_shared_bytes(k.name, k.user_shared_bytes());
    if (k.max_threads[0] != 0) patch.set_max_threads(k.name, k.max_threads);
    patch.set_word(k.name, 16,
                   {read_at<std::uint64_t>(k.code, 16, "code"), read_at<std::uint64_t>(k.code, 24, "code")});
  }
  EXPECT_EQ(patch.bytes(), file);
}

TEST_P(PatchedModule, EachChangeIsReadBackAndTouchesOnlyItsOwnField) {
  const Bytes file = data_bytes(GetParam());
  const bool sm90 = Image(file).architecture() == sass::Architecture::sm90;
  {
    Patch patch(file);
    patch.set_registers("gather", 77);
    EXPECT_EQ(Image(patch.bytes()).kernel("gather").registers, 77U);
    EXPECT_EQ(differences(patch.bytes(), file), sm90 ? 1U : 2U);
    EXPECT_EQ(Image(patch.bytes()).kernel("frame").registers, Image(file).kernel("frame").registers);
  }
  {
    Patch patch(file);
    patch.set_shared_bytes("gather", 4096);
    EXPECT_EQ(Image(patch.bytes()).kernel("gather").user_shared_bytes(), 4096U);
    EXPECT_LE(differences(patch.bytes(), file), 4U);
  }
  {
    Patch patch(file);
    patch.set_barriers("gather", 5);
    EXPECT_EQ(Image(patch.bytes()).kernel("gather").barriers, 5U);
    EXPECT_EQ(differences(patch.bytes(), file), 1U);
  }
  {
    Patch patch(file);
    patch.set_frame_bytes("frame", 128);
    EXPECT_EQ(Image(patch.bytes()).kernel("frame").local_bytes(), 128U);
    EXPECT_EQ(differences(patch.bytes(), file), 2U);
  }
  {
    Patch patch(file);
    patch.set_word("gather", 32, {0x7918, 0x000fc00000000000});
    const Bytes code = Image(patch.bytes()).kernel("gather").code;
    EXPECT_EQ(read_at<std::uint64_t>(code, 32, "code"), 0x7918U);
    EXPECT_LE(differences(patch.bytes(), file), 16U);
  }
}

TEST_P(PatchedModule, ARecordThatWasMissingIsAddedAndTheRestStaysReadable) {
  const Bytes file = data_bytes(GetParam());
  Patch patch(file);
  patch.set_max_threads("frame", {64, 2, 1});
  patch.set_barriers("frame", 3);
  const Image before(file);
  const Image after(patch.bytes());
  EXPECT_THAT(after.kernel("frame").max_threads, testing::ElementsAre(64, 2, 1));
  EXPECT_EQ(after.kernel("frame").barriers, 3U);
  EXPECT_EQ(after.kernel("frame").parameters, before.kernel("frame").parameters);
  EXPECT_EQ(after.kernel("frame").exit_offsets, before.kernel("frame").exit_offsets);
  EXPECT_EQ(after.kernel("gather").code, before.kernel("gather").code);
}

TEST(Patch, ValuesThatNoCardTakesAreRefused) {
  Patch patch(data_bytes("module.cuda13.sm_90.cubin"));
  EXPECT_THAT([&] { patch.set_registers("gather", 256); }, ThrowsMessage<Error>(HasSubstr("256 registers")));
  EXPECT_THAT([&] { patch.set_registers("gather", 0); }, ThrowsMessage<Error>(HasSubstr("0 registers")));
  EXPECT_THAT([&] { patch.set_barriers("gather", 17); }, ThrowsMessage<Error>(HasSubstr("17 barriers")));
  EXPECT_THAT([&] { patch.set_word("gather", 8, {}); },
              ThrowsMessage<Error>(HasSubstr("no instruction at 0x8")));
  EXPECT_THAT([&] { patch.set_word("gather", 1U << 20U, {}); },
              ThrowsMessage<Error>(HasSubstr("no instruction at 0x100000")));
  EXPECT_THAT([&] { patch.set_code("gather", Bytes(1U << 20U)); },
              ThrowsMessage<Error>(HasSubstr("do not fit")));
  EXPECT_THAT([&] { patch.set_shared_bytes("frame", 16); },
              ThrowsMessage<Error>(HasSubstr("no shared section")));
  EXPECT_THAT([&] { patch.set_registers("nothing", 32); },
              ThrowsMessage<KernelNotFound>(HasSubstr("no kernel is named nothing")));
  EXPECT_EQ(patch.bytes(), data_bytes("module.cuda13.sm_90.cubin"));
}

}  // namespace
}  // namespace warpgauge::cubin
