// A program on the driver interface: its calls, its errors, and what its kernels leave in memory.
#include <numeric>
#include <string>

#include "tests/cuda/interface.h"

namespace warpgauge::cuda::testing {
namespace {

using DevicePointer = unsigned long long;

class Driver : public ::testing::Test {
 protected:
  Driver() : cu("libcuda.so.1") {
    EXPECT_EQ(cu.call("cuInit", 0U), 0);
    void* context = nullptr;
    EXPECT_EQ(cu.call("cuCtxCreate_v2", &context, 0U, 0), 0);
  }

  void* load(const std::string& path) {
    const std::vector<char> image = file_bytes(path);
    void* module = nullptr;
    EXPECT_EQ(cu.call("cuModuleLoadData", &module, static_cast<const void*>(image.data())), 0);
    return module;
  }
  void* function(void* module, const char* name) {
    void* found = nullptr;
    EXPECT_EQ(cu.call("cuModuleGetFunction", &found, module, name), 0);
    return found;
  }
  DevicePointer allocate(std::size_t bytes) {
    DevicePointer address = 0;
    EXPECT_EQ(cu.call("cuMemAlloc_v2", &address, bytes), 0);
    return address;
  }
  int launch(void* kernel, unsigned grid, unsigned block, std::vector<void*> arguments, unsigned shared = 0) {
    return cu.call("cuLaunchKernel", kernel, grid, 1U, 1U, block, 1U, 1U, shared, static_cast<void*>(nullptr),
                   arguments.data(), static_cast<void**>(nullptr));
  }

  Interface cu;
};

TEST_F(Driver, RunsSaxpyOnTheDataThatWasCopiedAndGivesItBack) {
  void* const saxpy = function(load("examples/saxpy/saxpy.sm_90.cubin"), "saxpy");
  int n = 1000;
  float a = 3;
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(1000, 1.0F);
  DevicePointer device_x = allocate(4000);
  DevicePointer device_y = allocate(4000);
  EXPECT_EQ(cu.call("cuMemcpyHtoD_v2", device_x, static_cast<const void*>(x.data()), std::size_t{4000}), 0);
  EXPECT_EQ(cu.call("cuMemcpyHtoD_v2", device_y, static_cast<const void*>(y.data()), std::size_t{4000}), 0);
  EXPECT_EQ(launch(saxpy, 8, 128, {&n, &a, &device_x, &device_y}), 0);
  EXPECT_EQ(cu.call("cuMemcpyDtoH_v2", static_cast<void*>(y.data()), device_y, std::size_t{4000}), 0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 3.0F * static_cast<float>(i) + 1.0F);
}

TEST_F(Driver, TakesArgumentsAsABufferToo) {
  void* const saxpy = function(load("examples/saxpy/saxpy.sm_90.cubin"), "saxpy");
  DevicePointer y = allocate(128);
  EXPECT_EQ(cu.call("cuMemsetD32_v2", y, 0x40000000U, std::size_t{32}), 0);  // 2.0
  struct {
    int n = 32;
    float a = 0.5F;
    DevicePointer x, y;
  } block;
  block.x = block.y = y;
  std::size_t bytes = sizeof block;
  void* extra[] = {reinterpret_cast<void*>(1), &block, reinterpret_cast<void*>(2), &bytes, nullptr};
  EXPECT_EQ(cu.call("cuLaunchKernel", saxpy, 1U, 1U, 1U, 32U, 1U, 1U, 0U, static_cast<void*>(nullptr),
                    static_cast<void**>(nullptr), extra),
            0);
  float result[32] = {};
  EXPECT_EQ(cu.call("cuMemcpyDtoH_v2", static_cast<void*>(result), y, std::size_t{128}), 0);
  for (const float value : result) ASSERT_EQ(value, 3.0F);
}

TEST_F(Driver, EventsMeasureWhatTheModelPredicts) {
  void* const saxpy = function(load("examples/saxpy/saxpy.sm_90.cubin"), "saxpy");
  int n = 256;
  float a = 1;
  DevicePointer x = allocate(1024);
  DevicePointer y = allocate(1024);
  void* events[3] = {};
  for (void*& event : events) EXPECT_EQ(cu.call("cuEventCreate", &event, 0U), 0);
  const auto record = [&](void* event) {
    EXPECT_EQ(cu.call("cuEventRecord", event, static_cast<void*>(nullptr)), 0);
  };
  record(events[0]);
  EXPECT_EQ(launch(saxpy, 2, 128, {&n, &a, &x, &y}), 0);
  record(events[1]);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(launch(saxpy, 2, 128, {&n, &a, &x, &y}), 0);
  record(events[2]);
  float once = 0;
  float twice = 0;
  EXPECT_EQ(cu.call("cuEventElapsedTime", &once, events[0], events[1]), 0);
  EXPECT_EQ(cu.call("cuEventElapsedTime", &twice, events[1], events[2]), 0);
  EXPECT_GT(once, 0.0005F);  // a kernel takes longer than half a microsecond
  EXPECT_LT(once, 0.1F);
  EXPECT_GT(twice, 1.2F * once);
}

TEST_F(Driver, PitchedCopiesMoveRowsAndLeaveTheGaps) {
  struct {  // CUDA_MEMCPY2D
    std::size_t source_x = 0, source_y = 0;
    int source_type = 1;  // host
    const void* source_host = nullptr;
    DevicePointer source_device = 0;
    void* source_array = nullptr;
    std::size_t source_pitch = 0;
    std::size_t destination_x = 0, destination_y = 0;
    int destination_type = 2;  // device
    void* destination_host = nullptr;
    DevicePointer destination_device = 0;
    void* destination_array = nullptr;
    std::size_t destination_pitch = 0;
    std::size_t width = 0, height = 0;
  } copy;
  const std::string rows = "abcdefghijkl";  // three of four
  DevicePointer device = 0;
  std::size_t pitch = 0;
  EXPECT_EQ(cu.call("cuMemAllocPitch_v2", &device, &pitch, std::size_t{4}, std::size_t{3}, 4U), 0);
  EXPECT_EQ(pitch, 512U);
  EXPECT_EQ(cu.call("cuMemsetD8_v2", device, static_cast<unsigned char>('.'), 3 * pitch), 0);
  copy.source_host = rows.data();
  copy.source_pitch = 4;
  copy.source_x = 1;
  copy.destination_device = device;
  copy.destination_pitch = pitch;
  copy.destination_y = 1;
  copy.width = 2;
  copy.height = 2;
  EXPECT_EQ(cu.call("cuMemcpy2D_v2", static_cast<const void*>(&copy)), 0);
  std::string got(3 * pitch, ' ');
  EXPECT_EQ(cu.call("cuMemcpyDtoH_v2", static_cast<void*>(got.data()), device, got.size()), 0);
  std::string expected(3 * pitch, '.');
  expected.replace(pitch, 2, "bc");
  expected.replace(2 * pitch, 2, "fg");
  EXPECT_EQ(got, expected);
  constexpr int invalid_value = 1;
  copy.source_pitch = 1;
  EXPECT_EQ(cu.call("cuMemcpy2D_v2", static_cast<const void*>(&copy)), invalid_value);
}

TEST_F(Driver, GivesTheAddressesOfVariablesInDeviceMemory) {
  void* const module = load("tests/cubin/data/module.cuda13.sm_90.cubin");
  DevicePointer counter = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(cu.call("cuModuleGetGlobal_v2", &counter, &bytes, module, "counter"), 0);
  EXPECT_EQ(bytes, 16U);
  int values[4] = {};
  EXPECT_EQ(cu.call("cuMemcpyDtoH_v2", static_cast<void*>(values), counter, std::size_t{16}), 0);
  EXPECT_EQ(values[3], 4);
  constexpr int not_found = 500;
  EXPECT_EQ(cu.call("cuModuleGetGlobal_v2", &counter, &bytes, module, "nothing"), not_found);
}

TEST_F(Driver, PicksTheMachineCodeOfItsDeviceOutOfAFatBinary) {
  void* const twice = function(load("tests/cubin/data/zstd.cuda13.fatbin"), "twice");
  int version = 0;
  EXPECT_EQ(cu.call("cuFuncGetAttribute", &version, 6, twice), 0);
  EXPECT_EQ(version, 90);
}

TEST_F(Driver, AnswersWrongCallsWithTheDriversOwnCodes) {
  constexpr int invalid_value = 1;
  constexpr int no_binary = 209;
  constexpr int invalid_image = 200;
  constexpr int not_found = 500;
  void* module = nullptr;
  const std::vector<char> old = file_bytes("tests/cubin/data/lz4.cuda11.fatbin");
  EXPECT_EQ(cu.call("cuModuleLoadData", &module, static_cast<const void*>(old.data())), no_binary);
  EXPECT_EQ(cu.call("cuModuleLoadData", &module, static_cast<const void*>(".version 8.0\n.target sm_90\n")),
            invalid_image);
  module = load("examples/saxpy/saxpy.sm_90.cubin");
  void* found = nullptr;
  EXPECT_EQ(cu.call("cuModuleGetFunction", &found, module, "sexpy"), not_found);
  void* const saxpy = function(module, "saxpy");
  int n = 1;
  float a = 1;
  DevicePointer x = allocate(4);
  EXPECT_EQ(launch(saxpy, 1, 1025, {&n, &a, &x, &x}), invalid_value);
  EXPECT_EQ(launch(saxpy, 0, 1, {&n, &a, &x, &x}), invalid_value);
  EXPECT_EQ(launch(saxpy, 1, 32, {&n, &a, &x, &x}, 1U << 20), invalid_value);
  EXPECT_EQ(cu.call("cuMemFree_v2", x + 4), invalid_value);
  EXPECT_EQ(cu.call("cuMemcpyHtoD_v2", x, static_cast<const void*>(&a), std::size_t{8}), invalid_value);
  constexpr int out_of_memory = 2;
  EXPECT_EQ(cu.call("cuMemAlloc_v2", &x, std::size_t{1} << 40), out_of_memory);
}

TEST_F(Driver, AnAddressOutOfBoundsIsReportedOnceAndLeavesTheContextUnusable) {
  const auto program = [&] {
    void* const saxpy = function(load("examples/saxpy/saxpy.sm_90.cubin"), "saxpy");
    int n = 32;
    float a = 1;
    // The last 64 bytes of a page of the card: what lies behind is not mapped.
    constexpr std::size_t page = std::size_t{2} << 20;
    DevicePointer x = allocate(page) + (page - 64);
    constexpr int illegal_address = 700;
    const bool as_expected = launch(saxpy, 1, 32, {&n, &a, &x, &x}) == illegal_address &&
                             cu.call("cuMemAlloc_v2", &x, std::size_t{4}) == illegal_address &&
                             cu.call("cuCtxSynchronize") == illegal_address;
    std::_Exit(as_expected ? 42 : 1);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(42),
              "illegal address: global read of 4 bytes at 0x[0-9a-f]+ is out of bounds, 0 bytes after.* of "
              "2097152 bytes.*"
              "in kernel saxpy, by thread \\(16,0,0\\) of block \\(0,0,0\\)");
}

TEST_F(Driver, WhatIsNotThereSaysSoOnce) {
  const auto program = [&] {
    void* array = nullptr;
    constexpr int not_supported = 801;
    const void* descriptor = nullptr;
    for (int i = 0; i < 2; ++i) {
      if (cu.call("cuArrayCreate_v2", &array, descriptor) != not_supported) std::_Exit(1);
    }
    std::_Exit(42);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(42),
              "^warpgauge: cuArrayCreate_v2 is not supported[^\n]*\n$");
}

TEST_F(Driver, EntryPointsAreFoundByName) {
  int (*synchronize)() = nullptr;
  EXPECT_EQ(
      cu.call("cuGetProcAddress", "cuCtxSynchronize", reinterpret_cast<void**>(&synchronize), 12000, 0ULL),
      0);
  ASSERT_NE(synchronize, nullptr);
  EXPECT_EQ(synchronize(), 0);
}

// A map of a plane of words, as valid as can be; each of the tests changes one thing.
struct MapArguments {
  int type = 2;
  unsigned rank = 2;
  std::uint64_t address = 0x7f0000000000;
  std::vector<std::uint64_t> sizes{100, 20, 7, 5, 3};
  std::vector<std::uint64_t> strides{512, 10240, 81920, 1 << 20};
  std::vector<unsigned> box{16, 5, 4, 3, 2};
  std::vector<unsigned> steps{1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  std::vector<int> lower{0, 0, 0}, upper{0, 0, 0};
  unsigned channels = 16, pixels = 40;
  std::size_t offset = 0;  // of the map from a multiple of 64

  [[nodiscard]] int tiled(const Interface& cu) const {
    return cu.call("cuTensorMapEncodeTiled", map(), type, rank, reinterpret_cast<void*>(address),
                   sizes.data(), strides.data(), box.data(), steps.data(), interleave, swizzle, promotion,
                   fill);
  }
  [[nodiscard]] int columns(const Interface& cu) const {
    return cu.call("cuTensorMapEncodeIm2col", map(), type, rank, reinterpret_cast<void*>(address),
                   sizes.data(), strides.data(), lower.data(), upper.data(), channels, pixels, steps.data(),
                   interleave, swizzle, promotion, fill);
  }
  [[nodiscard]] void* map() const {
    alignas(64) static char storage[192];
    return storage + offset;
  }
};

TEST_F(Driver, TensorMapsOfBoxesAreCheckedAsTheInterfaceSays) {
  const auto code = [&](auto change) {
    MapArguments arguments;
    change(arguments);
    return arguments.tiled(cu);
  };
  constexpr int invalid = 1;
  EXPECT_EQ(code([](MapArguments&) {}), 0);
  for (unsigned rank = 0; rank <= 6; ++rank)
    EXPECT_EQ(code([&](MapArguments& a) { a.rank = rank; }), rank >= 1 && rank <= 5 ? 0 : invalid);
  for (int type = -1; type <= 13; ++type)
    EXPECT_EQ(code([&](MapArguments& a) { a.type = type; }), type >= 0 && type <= 12 ? 0 : invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.offset = 32; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.address += 16; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.address += 8; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.sizes[1] = 0; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.sizes[1] = std::uint64_t{1} << 32; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.sizes[1] = (std::uint64_t{1} << 32) + 1; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.strides[0] = 520; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.strides[0] = (std::uint64_t{1} << 40) - 16; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.strides[0] = std::uint64_t{1} << 40; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.box[1] = 256; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.box[1] = 257; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.box[1] = 0; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.box[0] = 3; }), invalid);  // 12 bytes
  EXPECT_EQ(code([](MapArguments& a) { a.steps[1] = 8; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.steps[1] = 9; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.steps[1] = 0; }), invalid);
  for (int swizzle = 0; swizzle <= 4; ++swizzle) {
    // 64 bytes in a row.
    EXPECT_EQ(code([&](MapArguments& a) { a.swizzle = swizzle; }),
              swizzle == 1 || swizzle == 4 ? invalid : 0);
  }
  EXPECT_EQ(code([](MapArguments& a) { a.promotion = 4; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.fill = 1; }), invalid);  // of integers
  EXPECT_EQ(code([](MapArguments& a) { a.fill = 1, a.type = 7; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.interleave = 1; }), invalid);  // of two dimensions
  EXPECT_EQ(code([](MapArguments& a) { a.interleave = 1, a.rank = 3; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.box[0] = 256, a.box[1] = 256; }), invalid);  // 256 KiB
  EXPECT_EQ(code([](MapArguments& a) { a.interleave = 2, a.rank = 3; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.interleave = 2, a.rank = 3, a.swizzle = 1; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.interleave = 2, a.rank = 3, a.swizzle = 1, a.address += 16; }),
            invalid);
}

TEST_F(Driver, TensorMapsOfColumnsAreCheckedAsTheInterfaceSays) {
  const auto code = [&](auto change) {
    MapArguments arguments;
    arguments.rank = 4;
    change(arguments);
    return arguments.columns(cu);
  };
  constexpr int invalid = 1;
  for (unsigned rank = 1; rank <= 6; ++rank)
    EXPECT_EQ(code([&](MapArguments& a) { a.rank = rank; }), rank >= 3 && rank <= 5 ? 0 : invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.lower[0] = -128, a.upper[0] = 127; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.lower[0] = -129; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.upper[1] = 128; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.rank = 5, a.lower[2] = -17; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.upper[0] = -20; }), invalid);  // nothing is left of 20
  EXPECT_EQ(code([](MapArguments& a) { a.channels = 256; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.channels = 3; }), invalid);  // 12 bytes
  EXPECT_EQ(code([](MapArguments& a) { a.channels = 257; }), invalid);
  EXPECT_EQ(code([](MapArguments& a) { a.pixels = 1024; }), 0);
  EXPECT_EQ(code([](MapArguments& a) { a.pixels = 1025; }), invalid);
}

TEST_F(Driver, TensorMapsGetAnotherAddress) {
  MapArguments arguments;
  ASSERT_EQ(arguments.tiled(cu), 0);
  const std::vector<char> before(static_cast<char*>(arguments.map()),
                                 static_cast<char*>(arguments.map()) + 128);
  EXPECT_EQ(cu.call("cuTensorMapReplaceAddress", arguments.map(), reinterpret_cast<void*>(0x7f0000001000)),
            0);
  arguments.address = 0x7f0000001000;
  const std::vector<char> replaced(static_cast<char*>(arguments.map()),
                                   static_cast<char*>(arguments.map()) + 128);
  EXPECT_NE(before, replaced);
  ASSERT_EQ(arguments.tiled(cu), 0);
  EXPECT_EQ(replaced, std::vector<char>(static_cast<char*>(arguments.map()),
                                        static_cast<char*>(arguments.map()) + 128));
  EXPECT_EQ(cu.call("cuTensorMapReplaceAddress", arguments.map(), reinterpret_cast<void*>(0x7f0000001008)),
            1);
}

TEST_F(Driver, MemoryThatIsAllocatedButNotTouchedCostsNothing) {
  const auto resident_kib = [] {
    std::ifstream in("/proc/self/statm");
    long pages = 0;
    in >> pages >> pages;
    return pages * 4;
  };
  const long before = resident_kib();
  const DevicePointer large = allocate(std::size_t{16} << 30);
  EXPECT_EQ(cu.call("cuMemsetD8_v2", large + (std::size_t{8} << 30), static_cast<unsigned char>(1),
                    std::size_t{1} << 24),
            0);
  const long grown = resident_kib() - before;
  EXPECT_GE(grown, 16 * 1024 - 64);
  EXPECT_LE(grown, 20 * 1024);
  EXPECT_EQ(cu.call("cuMemFree_v2", large), 0);
}

}  // namespace
}  // namespace warpgauge::cuda::testing
