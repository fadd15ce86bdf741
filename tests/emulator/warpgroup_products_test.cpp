// Warpgroup matrix products of small whole numbers, whose operands lie in shared memory in every layout; what
// is beyond shared memory; registers above those that a kernel begins with. What a card gives for products of
// all types tests/cuda/warpgroup_products_test.py asks, where there is a CUDA compiler.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/emulator/device_fixture.h"

namespace warpgauge::emulator::testing {
namespace {

constexpr unsigned image_bytes = 4096;
constexpr unsigned image_at = 1024;  // in shared memory
constexpr unsigned b_at = 2048;      // in the image

// Offsets in bytes; swizzle: 0 none, 1 128 bytes, 2 64, 3 32.
std::uint64_t descriptor(unsigned start, unsigned leading, unsigned stride, unsigned swizzle) {
  return std::uint64_t{(start + image_at) / 16} | std::uint64_t{leading / 16} << 16 |
         std::uint64_t{stride / 16} << 32 | std::uint64_t{swizzle} << 62;
}

// 128 threads bring the image to shared memory and store four registers of D each.
std::string program(const std::string& product) {
  return "S2R R0, SR_TID.X ;\n"
         "LDC.64 R2, c[0x0][0x210] ;\n"
         "LDC.64 R4, c[0x0][0x218] ;\n"
         "ULDC.64 UR4, c[0x0][0x220] ;\n"
         "ULDC.64 UR6, c[0x0][0x228] ;\n"
         "IMAD.WIDE.U32 R2, R0, 0x10, R2 ;\n"
         "LDG.E.128 R8, desc[UR10][R2.64] ;\n"
         "LDG.E.128 R12, desc[UR10][R2.64+0x800] ;\n"
         "IMAD.SHL.U32 R1, R0, 0x10, RZ ;\n"
         "STS.128 [R1+0x400], R8 ;\n"
         "STS.128 [R1+0xc00], R12 ;\n"
         "BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
         "WARPGROUP.ARRIVE ;\n" +
         product +
         "WARPGROUP.DEPBAR.LE gsb0, 0x0 ;\n"
         "IMAD.WIDE.U32 R4, R0, 0x10, R4 ;\n"
         "STG.E.128 desc[UR10][R4.64], R8 ;\n"
         "EXIT ;\n";
}

std::vector<std::uint32_t> products(const std::string& product, const std::vector<std::uint8_t>& image,
                                    std::uint64_t a, std::uint64_t b, Mode mode = Mode::functional) {
  Device device;
  const auto module = assembled(device, program(product), {8, 8, 8, 8});
  const DeviceAddress input = device.upload(image);
  const DeviceAddress output = device.upload(std::vector<std::uint32_t>(512));
  Launch launch = make_launch(module, "k", {1}, {128}, input, output, a, b);
  launch.dynamic_shared_bytes = image_at + image_bytes;
  run(launch, mode);
  return device.download<std::uint32_t>(output, 512);
}

// D's element: four words a thread.
std::size_t place(unsigned row, unsigned column) {
  const unsigned thread = row / 16 * 32 + row % 8 * 4 + column / 2;
  return std::size_t{4} * thread + row % 16 / 8 * 2 + column % 2;
}

// Where a byte is that would be at `offset` if nothing were swizzled.
unsigned swizzled(unsigned offset, unsigned width) {
  return offset ^ ((image_at + offset) / 128 % (width / 16)) * 16;
}

std::vector<std::uint8_t> random_bytes(std::uint8_t mask) {
  std::mt19937 generator(7);
  std::vector<std::uint8_t> bytes(image_bytes);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator() >> 16) & mask;
  return bytes;
}

constexpr unsigned widths[] = {16, 128, 64, 32};

class WarpgroupProducts : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Swizzles, WarpgroupProducts, ::testing::Range(0U, 4U));

TEST_P(WarpgroupProducts, OfBytesThatLieAlongK) {
  const unsigned swizzle = GetParam();
  const unsigned width = widths[swizzle];
  // Rows of A 128 bytes wide would need more than there is: every eight overlap the next.
  const unsigned stride = swizzle == 0 ? 256 : 256 + 16;
  const std::vector<std::uint8_t> image = random_bytes(0xff);
  const auto byte = [&](unsigned start, unsigned row, unsigned k) {
    const unsigned next_k = swizzle == 0 ? 128 : 16;
    const unsigned offset = start + row / 8 * stride + row % 8 * width + k / 16 * next_k;
    return static_cast<std::int8_t>(image[swizzled(offset, width) + k % 16]);
  };
  const auto a = descriptor(0, 128, stride, swizzle);
  const auto b = descriptor(b_at, 128, stride, swizzle);
  const std::string text = "IGMMA.64x8x32.S8.S8 R8, gdesc[UR4], RZ, !UPT, gsb0 ;\n";
  const auto d = products(text, image, a, b);
  for (unsigned row = 0; row < 64; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      int sum = 0;
      for (unsigned k = 0; k < 32; ++k) sum += byte(0, row, k) * byte(b_at, column, k);
      EXPECT_EQ(static_cast<int>(d[place(row, column)]), sum) << row << ", " << column;
    }
  }
  EXPECT_EQ(products(text, image, a, b, Mode::issued), d);
}

TEST_P(WarpgroupProducts, OfHalvesThatLieAlongRows) {
  const unsigned swizzle = GetParam();
  const unsigned width = widths[swizzle];
  // Halves of 1 to 1.75, positive: sums are exact.
  std::vector<std::uint8_t> image = random_bytes(0x03);
  for (unsigned i = 1; i < image_bytes; i += 2) image[i] |= 0x3c;
  for (unsigned i = 0; i < image_bytes; i += 2) image[i] = 0;
  const unsigned next_rows = swizzle == 0 ? 128 : 8 * width;
  const unsigned next_k = swizzle == 0 ? 1024 : 64 / 8 * 128;
  const auto half = [&](unsigned start, unsigned row, unsigned k) {
    const unsigned chunks = width / 16;
    const unsigned offset =
        start + row / 8 / chunks * next_rows + row / 8 % chunks * 16 + k % 8 * width + k / 8 * next_k;
    return 1.0F + 0.25F * static_cast<float>(image[swizzled(offset, width) + 2 * (row % 8) + 1] & 3U);
  };
  const auto way = [&](unsigned start) {
    return swizzle == 0 ? descriptor(start, next_k, next_rows, 0)
                        : descriptor(start, next_rows, next_k, swizzle);
  };
  const auto d =
      products("HGMMA.64x8x16.F32 R8, gdesc[UR4].tnspA.tnspB, RZ, !UPT, gsb0 ;\n", image, way(0), way(b_at));
  for (unsigned row = 0; row < 64; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      float sum = 0;
      for (unsigned k = 0; k < 16; ++k) sum += half(0, row, k) * half(b_at, column, k);
      EXPECT_EQ(std::bit_cast<float>(d[place(row, column)]), sum) << row << ", " << column;
    }
  }
}

// R13: of each chunk of four, one of the first two and one of the others.
constexpr const char* make_metadata =
    "LOP3.LUT R13, R12, 0x55555555, RZ, 0xc0, !PT ;\n"
    "LOP3.LUT R13, R13, 0x88888888, RZ, 0xfc, !PT ;\n";

std::uint32_t metadata(const std::vector<std::uint8_t>& image, unsigned thread) {
  std::uint32_t word = 0;
  std::memcpy(&word, &image[0x800 + std::size_t{16} * thread], sizeof(word));
  return (word & 0x55555555U) | 0x88888888U;
}

TEST_P(WarpgroupProducts, OfASparseAOfBytes) {
  const unsigned swizzle = GetParam();
  const unsigned width = widths[swizzle];
  if (width == 32) return;  // B's rows are wider; what a card takes then is not known
  const unsigned stride = swizzle == 0 ? 512 : 256 + 16;
  const std::vector<std::uint8_t> image = random_bytes(0xff);
  const auto byte = [&](unsigned start, unsigned of_stride, unsigned row, unsigned k) {
    const unsigned next_k = swizzle == 0 ? 128 : 16;
    const unsigned offset = start + row / 8 * of_stride + row % 8 * width + k / 16 * next_k;
    return static_cast<std::int8_t>(image[swizzled(offset, width) + k % 16]);
  };
  const auto a = descriptor(0, 128, 256, swizzle);
  const auto b = descriptor(b_at, 128, stride, swizzle);
  const auto d =
      products(make_metadata + std::string("IGMMA.SP.64x8x64.S8.S8 R8, gdesc[UR4], RZ, !UPT, R13, gsb0 ;\n"),
               image, a, b);
  for (unsigned row = 0; row < 64; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      int sum = 0;
      for (unsigned stored = 0; stored < 32; ++stored) {
        // Eight chunks a lane, odd lanes of rows from 8 on.
        const unsigned n = stored / 2;
        const unsigned thread = row / 16 * 32 + row % 8 * 4 + n / 8 * 2 + row % 16 / 8;
        const unsigned at = metadata(image, thread) >> (n % 8 * 4 + stored % 2 * 2) & 3U;
        sum += byte(0, 256, row, stored) * byte(b_at, stride, column, 4 * n + at);
      }
      EXPECT_EQ(static_cast<int>(d[place(row, column)]), sum) << row << ", " << column;
    }
  }
}

TEST_P(WarpgroupProducts, OfASparseAOfHalvesWithColumnsOfBThatLieTogether) {
  const unsigned swizzle = GetParam();
  const unsigned width = widths[swizzle];
  std::vector<std::uint8_t> image = random_bytes(0x03);
  for (unsigned i = 1; i < image_bytes; i += 2) image[i] |= 0x3c;
  for (unsigned i = 0; i < image_bytes; i += 2) image[i] &= 1;
  // Eight of k apart; of lines of 128 bytes more would need more than there is.
  const unsigned next_k = swizzle == 0 ? 512 : width == 128 ? 256 : 8 * width;
  const auto half = [&](unsigned offset) {
    return 1.0F + 0.25F * static_cast<float>(image[offset + 1] & 3U) +
           static_cast<float>(image[offset]) / 1024;
  };
  const auto of_a = [&](unsigned row, unsigned k) {
    const unsigned next = swizzle == 0 ? 128 : 16;
    const unsigned offset = row / 8 * 256 + row % 8 * width + k / 8 * next;
    return half(swizzled(offset, width) + k % 8 * 2);
  };
  const auto of_b = [&](unsigned column, unsigned k) {
    return half(swizzled(b_at + k % 8 * width + k / 8 * next_k, width) + column * 2);
  };
  const auto a = descriptor(0, 128, 256, swizzle);
  const auto b = swizzle == 0 ? descriptor(b_at, next_k, 0, 0) : descriptor(b_at, 0, next_k, swizzle);
  for (const unsigned selector : {0U, 1U}) {
    const auto d = products(make_metadata + ("HGMMA.SP.64x8x32.F32 R8, gdesc[UR4].tnspB, RZ, !UPT, R13, " +
                                             std::to_string(selector) + ", gsb0 ;\n"),
                            image, a, b);
    for (unsigned row = 0; row < 64; ++row) {
      for (unsigned column = 0; column < 8; ++column) {
        double sum = 0;
        for (unsigned stored = 0; stored < 16; ++stored) {
          // Four chunks of two rows a lane.
          const unsigned n = stored / 2;
          const unsigned thread = row / 16 * 32 + row % 8 * 4 + 2 * selector + n / 4;
          const unsigned at =
              metadata(image, thread) >> (row % 16 / 8 * 16 + n % 4 * 4 + stored % 2 * 2) & 3U;
          sum += static_cast<double>(of_a(row, stored)) * static_cast<double>(of_b(column, 4 * n + at));
        }
        // Cut off below 2^-24 of the largest product.
        EXPECT_NEAR(std::bit_cast<float>(d[place(row, column)]), sum, 1e-5) << row << ", " << column;
      }
    }
  }
}

TEST(WarpgroupProducts, BeyondSharedMemoryAreAFault) {
  const std::string text = "IGMMA.64x8x32.S8.S8 R8, gdesc[UR4], RZ, !UPT, gsb0 ;\n";
  const std::vector<std::uint8_t> image(image_bytes);
  const std::uint64_t inside = descriptor(0, 128, 256, 0);
  for (const bool of_a : {false, true}) {
    const std::uint64_t beyond = descriptor(200 << 10, 128, 256, 0);
    try {
      products(text, image, of_a ? beyond : inside, of_a ? inside : beyond);
      ADD_FAILURE() << "no fault";
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.kind(), FaultKind::shared_out_of_range) << fault.what();
    }
  }
}

TEST(Warpgroup, HasTheRegistersThatItAsksFor) {
  Device device;
  const auto module = assembled(device,
                                "LDC.64 R2, c[0x0][0x210] ;\n"
                                "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8 ;\n"
                                "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0 ;\n"
                                "@P0 MOV R231, 0x7 ;\n"
                                "USETMAXREG.DEALLOC.CTAPOOL 0xe8 ;\n"
                                "STG.E desc[UR10][R2.64], R231 ;\n"
                                "EXIT ;\n",
                                {8});
  const DeviceAddress out = device.upload(std::vector<std::uint32_t>(1));
  run(make_launch(module, "k", {1}, {128}, out));
  EXPECT_EQ(device.download<std::uint32_t>(out, 1)[0], 7U);
}

}  // namespace
}  // namespace warpgauge::emulator::testing
