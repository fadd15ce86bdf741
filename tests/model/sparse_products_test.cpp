// Sparse matrix products: each shape has its own interval and latency, metadata is read as the other operands
// are, and of a warpgroup's the operand B takes twice as much of shared memory.
#include <gtest/gtest.h>

#include "model/sm/decoded.h"
#include "tests/model/model_fixture.h"
#include "traces/sass/assemble.h"
#include "traces/sass/decode.h"

namespace warpgauge::model::test {
namespace {

StaticOp decoded(const std::string& text, const SmSpec& spec) {
  const sass::Word word = sass::assemble(text + " ;\n", sass::Architecture::sm90).front();
  const sass::Instruction instruction = sass::decode(word, sass::Architecture::sm90);
  return predecode(std::span(&instruction, 1), spec)[0];
}

struct Shape {
  const char* mnemonic;
  Matrix shape;
  bool whole = false;
};
constexpr Shape shapes[] = {{"HMMA.SP.16816.F16", Matrix::hmma_sp_16816_f16},
                            {"HMMA.SP.16816.F32", Matrix::hmma_sp_16816_f32},
                            {"HMMA.SP.16816.F32.BF16", Matrix::hmma_sp_16816_f32},
                            {"HMMA.SP.16832.F16", Matrix::hmma_sp_16832_f16},
                            {"HMMA.SP.16832.F32", Matrix::hmma_sp_16832_f32},
                            {"HMMA.SP.16832.F32.BF16", Matrix::hmma_sp_16832_f32},
                            {"HMMA.SP.1688.F32.TF32", Matrix::hmma_sp_1688_tf32},
                            {"HMMA.SP.16816.F32.TF32", Matrix::hmma_sp_16816_tf32},
                            {"IMMA.SP.16832.S8.U8", Matrix::imma_sp_16832, true},
                            {"IMMA.SP.16864.U8.U8", Matrix::imma_sp_16864, true}};

std::string product(const Shape& shape) {
  return std::string(shape.mnemonic) + " R16, R8" + (shape.whole ? ".ROW" : "") + ", R12" +
         (shape.whole ? ".COL" : "") + ", R16, R20, 0x0";
}

TEST(SparseProducts, HaveTheTimeOfTheirShape) {
  SmSpec spec = one_sm().sm;
  for (unsigned shape = 0; shape < spec.matrix_interval.size(); ++shape) {
    spec.matrix_interval[shape] = 2 + shape;
    spec.matrix_latency[shape] = 40 + shape;
  }
  for (const Shape& shape : shapes) {
    const StaticOp op = decoded(product(shape), spec);
    EXPECT_EQ(op.interval, 2 + static_cast<unsigned>(shape.shape)) << shape.mnemonic;
    EXPECT_EQ(op.latency, 40 + static_cast<unsigned>(shape.shape)) << shape.mnemonic;
    EXPECT_TRUE(op.matrix) << shape.mnemonic;
  }
  EXPECT_EQ(decoded("HMMA.16816.F32 R16, R8, R12, R16", spec).interval,
            2 + static_cast<unsigned>(Matrix::hmma_16816_f32));
}

TEST(SparseProducts, OfAWarpTakeTheTensorCoreOneAfterTheOther) {
  const MachineSpec spec = one_sm();
  for (const Shape& shape : shapes) {
    const sass::Word word = sass::assemble(product(shape) + " ;\n", sass::Architecture::sm90).front();
    FakeOp made;
    made.instruction = sass::decode(word, sass::Architecture::sm90);
    const std::vector<FakeOp> body(64, made.stall(1));
    EXPECT_NEAR(cycles_each(spec, body), spec.sm.matrix_interval[static_cast<std::size_t>(shape.shape)], 2)
        << shape.mnemonic;
  }
}

TEST(SparseProducts, ReadTheirMetadataBesideTheBanks) {
  const SmSpec spec = one_sm().sm;
  const StaticOp op = decoded(product(shapes[4]), spec);
  EXPECT_EQ(op.read_count, 12);
  for (unsigned n = 0; n < op.read_count; ++n) EXPECT_NE(op.reads[n].reg, 20);
}

TEST(SparseProducts, OfAWarpgroupTakeTwiceAsMuchOfB) {
  const SmSpec spec = one_sm().sm;
  const StaticOp dense = decoded("HGMMA.64x128x16.F32 R24, gdesc[UR4], R24, gsb0", spec);
  const StaticOp sparse = decoded("HGMMA.SP.64x128x32.F32 R24, gdesc[UR4], R24, R8, 0x0, gsb0", spec);
  EXPECT_EQ(dense.product_interval, 64);
  EXPECT_EQ(dense.product_reads, 16 + 32);
  EXPECT_EQ(sparse.product_reads, 16 + 64);
  EXPECT_EQ(sparse.product_interval, 16 + 64) << "what its operands take of shared memory";
  EXPECT_EQ(sparse.product_latency, dense.product_latency);
  const StaticOp of_registers =
      decoded("HGMMA.SP.64x128x32.F32 R24, R4, gdesc[UR4], R24, R8, 0x0, gsb0", spec);
  EXPECT_EQ(of_registers.product_interval, 64);
}

}  // namespace
}  // namespace warpgauge::model::test
