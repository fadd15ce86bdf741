// The struct of cudaGetDeviceProperties has another layout in each major version. The offsets are what
// offsetof gives with the public headers of CUDA 11.8 and 13.0, and for CUDA 12 those of 11.8 with the fields
// that 12 appends.
#include <map>
#include <tuple>

#include "tests/cuda/interface.h"

namespace warpgauge::cuda::testing {
namespace {

struct Field {
  const char* name;
  std::size_t in_11;
  std::size_t in_13;
  std::size_t bytes;
  std::uint64_t h200;
};

constexpr Field fields[] = {
    {"sharedMemPerBlock", 296, 296, 8, 49152},
    {"regsPerBlock", 304, 304, 4, 65536},
    {"warpSize", 308, 308, 4, 32},
    {"memPitch", 312, 312, 8, 0x7fffffff},
    {"maxThreadsPerBlock", 320, 320, 4, 1024},
    {"maxThreadsDim[2]", 332, 332, 4, 64},
    {"maxGridSize[0]", 336, 336, 4, 0x7fffffff},
    {"maxGridSize[2]", 344, 344, 4, 65535},
    {"totalConstMem", 352, 352, 8, 65536},
    {"major", 360, 360, 4, 9},
    {"minor", 364, 364, 4, 0},
    {"textureAlignment", 368, 368, 8, 512},
    {"texturePitchAlignment", 376, 376, 8, 32},
    {"multiProcessorCount", 388, 384, 4, 132},
    {"canMapHostMemory", 400, 392, 4, 1},
    {"surfaceAlignment", 568, 552, 8, 512},
    {"concurrentKernels", 576, 560, 4, 1},
    {"asyncEngineCount", 600, 584, 4, 3},
    {"unifiedAddressing", 604, 588, 4, 1},
    {"maxThreadsPerMultiProcessor", 624, 604, 4, 2048},
    {"streamPrioritiesSupported", 628, 608, 4, 1},
    {"sharedMemPerMultiprocessor", 640, 624, 8, 233472},
    {"regsPerMultiprocessor", 648, 632, 4, 65536},
    {"managedMemory", 652, 636, 4, 1},
    {"concurrentManagedAccess", 676, 656, 4, 1},
    {"cooperativeLaunch", 688, 668, 4, 1},
    {"sharedMemPerBlockOptin", 696, 672, 8, 232448},
    {"maxBlocksPerMultiProcessor", 712, 688, 4, 32},
    {"reservedSharedMemPerBlock", 720, 696, 8, 1024},
};

std::uint64_t value_at(const std::vector<unsigned char>& bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{bytes[offset + i]} << (8 * i);
  return value;
}

struct Version {
  const char* library;
  const char* function;
  std::size_t struct_bytes;
  bool fields_of_13;
};

class DeviceProperties : public ::testing::TestWithParam<Version> {};

TEST_P(DeviceProperties, LieWhereThePublicHeaderSaysAndNowhereElse) {
  const Version& version = GetParam();
  const Interface runtime(version.library);
  constexpr unsigned char untouched = 0xa5;
  std::vector<unsigned char> bytes(version.struct_bytes + 64, untouched);
  ASSERT_EQ(runtime.call(version.function, static_cast<void*>(bytes.data()), 0), 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(bytes.data()), "NVIDIA H200");
  for (const Field& field : fields) {
    EXPECT_EQ(value_at(bytes, version.fields_of_13 ? field.in_13 : field.in_11, field.bytes), field.h200)
        << field.name;
  }
  for (std::size_t i = version.struct_bytes; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], untouched) << i;
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryVersion, DeviceProperties,
    ::testing::Values(Version{"libcudart.so.11.0", "cudaGetDeviceProperties", 728, false},
                      Version{"libcudart.so.12", "cudaGetDeviceProperties_v2", 1032, false},
                      Version{"libcudart.so.13", "cudaGetDeviceProperties", 1008, true}));

TEST(RuntimeLibraries, HaveTheSymbolVersionsThatProgramsAreLinkedAgainst) {
  for (const auto& [file, number] :
       {std::pair{"libcudart.so.11.0", 11080}, {"libcudart.so.12", 12080}, {"libcudart.so.13", 13000}}) {
    const Interface runtime(file);
    EXPECT_TRUE(runtime.has("cudaMalloc", file));
    EXPECT_TRUE(runtime.has("__cudaRegisterFatBinary", file));
    EXPECT_TRUE(runtime.has("cudaMemcpyAsync_ptsz", file));
    EXPECT_FALSE(runtime.has("_ZN9warpgauge4cuda7Context8instanceEv", file));
    int version = 0;
    EXPECT_EQ(runtime.call("cudaRuntimeGetVersion", &version), 0);
    EXPECT_EQ(version, number);
  }
}

}  // namespace
}  // namespace warpgauge::cuda::testing
