#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cubin/fixtures.h"

namespace warpgauge::cubin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<Bytes> cubins(ByteView file) {
  std::vector<Bytes> result;
  for (const FatbinEntry& e : find_fatbin_entries(file)) {
    if (e.kind == FatbinKind::cubin) result.push_back(extract(file, e));
  }
  return result;
}

TEST(Fatbin, EveryCompressionUnpacksToTheSameCubins) {
  const auto plain = cubins(data_bytes("plain.cuda13.fatbin"));
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(cubins(data_bytes("lz4.cuda13.fatbin")), plain);
  EXPECT_EQ(cubins(data_bytes("zstd.cuda13.fatbin")), plain);
  EXPECT_EQ(Image(plain[0]).architecture(), sass::Architecture::sm75);
  EXPECT_EQ(Image(plain[1]).architecture(), sass::Architecture::sm90);
  EXPECT_EQ(Image(plain[1]).kernel("twice").parameters.size(), 2U);
  EXPECT_EQ(Image(plain[1]).kernel("toggle").name, "_Z6toggleILi3EEvPi");
}

TEST(Fatbin, EntriesSayKindArchitectureAndCompression) {
  const Bytes file = data_bytes("zstd.cuda13.fatbin");
  const auto entries = find_fatbin_entries(file);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].sm, 75U);
  EXPECT_EQ(entries[1].sm, 90U);
  EXPECT_EQ(entries[1].kind, FatbinKind::cubin);
  EXPECT_EQ(entries[1].compression, Compression::zstd);
  EXPECT_EQ(entries[2].kind, FatbinKind::ptx);
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(extract(file, entries[2]).data()),
                          entries[2].unpacked_bytes - 1),
              HasSubstr(".visible .entry twice"));
  EXPECT_EQ(find_fatbin_entries(data_bytes("lz4.cuda13.fatbin"))[0].compression, Compression::lz4);
  EXPECT_EQ(find_fatbin_entries(data_bytes("plain.cuda13.fatbin"))[0].compression, Compression::none);
}

TEST(Fatbin, TheOlderToolkitsContainerIsReadAsWell) {
  const auto found = cubins(data_bytes("lz4.cuda11.fatbin"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(Image(found[0]).architecture(), sass::Architecture::sm70);
  EXPECT_EQ(Image(found[0]).abi_version(), 7U);
}

TEST(Fatbin, ASharedLibraryAnObjectArchiveAndACubinAreSearched) {
  const auto expected = cubins(data_bytes("plain.cuda13.fatbin"));
  const MappedFile library(FATBIN_HOST_LIBRARY);
  EXPECT_EQ(cubins(library.bytes()), expected);
  const MappedFile archive(FATBIN_HOST_ARCHIVE);
  EXPECT_EQ(cubins(archive.bytes()), expected);
  EXPECT_THAT(find_fatbin_entries(archive.bytes())[0].member, HasSubstr("fatbin_host"));
  EXPECT_EQ(cubins(expected[1]), std::vector<Bytes>{expected[1]});
}

TEST(Fatbin, AContainerOutsideTheNamedSectionsIsFoundByItsMagic) {
  const Bytes container = data_bytes("lz4.cuda13.fatbin");
  Bytes file(4096 + container.size(), 0x20);
  std::copy(container.begin(), container.end(), file.begin() + 4096);
  EXPECT_EQ(find_fatbin_entries(file).size(), 3U);
  // The magic alone, as it stands in the code of any program that reads fat binaries, is none.
  Bytes chance(64, 0x20);
  write_at(chance, 32, 0xba55ed50U, "test");
  EXPECT_TRUE(find_fatbin_entries(chance).empty());
}

TEST(Fatbin, AFileWithoutGpuCodeHasNoEntries) {
  EXPECT_TRUE(find_fatbin_entries(Bytes{}).empty());
  EXPECT_TRUE(find_fatbin_entries(Bytes(1000)).empty());
  const MappedFile self("/proc/self/exe");
  EXPECT_TRUE(find_fatbin_entries(self.bytes()).empty());
}

TEST(Fatbin, ACutOffContainerIsRefused) {
  for (const char* name : {"lz4.cuda13.fatbin", "zstd.cuda13.fatbin", "plain.cuda13.fatbin"}) {
    const Bytes file = data_bytes(name);
    for (std::size_t size = 16; size < file.size(); size += 61) {
      EXPECT_THROW(find_fatbin_entries(ByteView(file).first(size)), Error) << name << " " << size;
    }
  }
}

TEST(Fatbin, DamagedEntriesEndInAnErrorAndNeverInACrash) {
  std::size_t refused = 0;
  for (const char* name : {"lz4.cuda13.fatbin", "zstd.cuda13.fatbin", "lz4.cuda11.fatbin"}) {
    const Bytes file = data_bytes(name);
    Random random(11);
    for (int round = 0; round < 400; ++round) {
      Bytes damaged = file;
      for (int i = 0; i < 3; ++i)
        damaged[16 + random.below(file.size() - 16)] = static_cast<std::uint8_t>(random.next());
      try {
        for (const FatbinEntry& e : find_fatbin_entries(damaged)) {
          if (e.unpacked_bytes < 1U << 24U) extract(damaged, e);
        }
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300U);
}

TEST(Fatbin, AnImpossibleSizeIsRefusedBeforeMemoryIsTaken) {
  Bytes file = data_bytes("lz4.cuda13.fatbin");
  const auto entries = find_fatbin_entries(file);
  FatbinEntry e = entries[0];
  e.unpacked_bytes = std::uint64_t{1} << 62U;
  EXPECT_THAT([&] { extract(file, e); }, ThrowsMessage<Error>(HasSubstr("more than 1 GiB")));
  e.unpacked_bytes = 1U << 29U;
  EXPECT_THAT([&] { extract(file, e); }, ThrowsMessage<Error>(HasSubstr("impossible size")));
}

// Where a CUDA toolkit is installed, its libraries are a corpus that no one here made.
TEST(Fatbin, EveryCubinOfTheToolkitsLibrariesLoads) {
  std::size_t loaded = 0;
  for (const char* folder : {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu"}) {
    for (const char* name : {"libcurand.so", "libcufft.so"}) {
      const std::string path = std::string(folder) + "/" + name;
      if (!std::filesystem::exists(path)) continue;
      const MappedFile file(path);
      for (const FatbinEntry& e : find_fatbin_entries(file.bytes())) {
        if (e.kind != FatbinKind::cubin || !sass::architecture_from_number(e.sm)) continue;
        const Image image(extract(file.bytes(), e));
        EXPECT_EQ(static_cast<unsigned>(image.architecture()), e.sm);
        if (image.relocatable()) continue;
        for (const Kernel& k : load(image).kernels) {
          EXPECT_GT(k.registers, 0U) << k.name;
          EXPECT_EQ(k.code.size() % 16, 0U) << k.name;
          ++loaded;
        }
      }
    }
  }
  RecordProperty("kernels", static_cast<int>(loaded));
  EXPECT_TRUE(loaded > 1000 || !std::filesystem::exists("/usr/local/cuda/lib64/libcurand.so"));
}

}  // namespace
}  // namespace warpgauge::cubin
