// Trace files put together by hand, with the check sums that a reader wants to see.
#pragma once

#include <zstd.h>

#include <string>
#include <vector>

#include "tests/cubin/kernel_of_text.h"
#include "traces/native/format.h"

namespace warpgauge::native::test {

// A kernel "k" with an instruction of each kind that a trace treats in its own way.
inline cubin::Bytes small_cubin() {
  const cubin::KernelSource kernel = cubin::testing::kernel_of(
      "MOV R1, 0x10 ;\n"
      "@P0 LDG.E.SYS R2, [R4] ;\n"
      "LDS R3, [R1] ;\n"
      "@!P1 STG.E.64.SYS [R4], R2 ;\n"
      "LDC R6, c[0x0][R1] ;\n"
      "BAR.SYNC 0x0 ;\n"
      ".L_loop:\n"
      "IADD3 R1, R1, 0x1, RZ ;\n"
      "@P0 BRA .L_loop ;\n"
      "WARPSYNC 0xffffffff ;\n"
      "LD.E.SYS R8, [R4] ;\n"
      "@P1 EXIT ;\n"
      "ATOMG.E.ADD.STRONG.GPU PT, R2, [R4], R3 ;\n"
      "EXIT ;\n",
      sass::Architecture::sm75);
  return cubin::write_cubin({sass::Architecture::sm75, {kernel}, {}});
}

class Container {
 public:
  Container() {
    put(file_, file_magic);
    put(file_, format_version);
    put(file_, std::uint32_t{0});
  }
  // Returns the record's offset.
  std::uint64_t add(RecordTag tag, ByteView payload) {
    const std::uint64_t offset = file_.size();
    Bytes frame(ZSTD_compressBound(payload.size()));
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), payload.data(), payload.size()));
    ZSTD_freeCCtx(context);
    put_record_header(file_, {tag, frame.size(), payload.size()});
    file_.insert(file_.end(), frame.begin(), frame.end());
    return offset;
  }
  std::uint64_t add_module(ByteView cubin) {
    Bytes payload;
    put_varint(payload, std::uint64_t{1} << 32);
    put_varint(payload, 0);
    put_varint(payload, cubin.size());
    payload.insert(payload.end(), cubin.begin(), cubin.end());
    return add(RecordTag::module_, payload);
  }
  Bytes finish(std::uint64_t module, std::uint64_t kernel) {
    Bytes index;
    put_varint(index, 1);
    put_varint(index, module);
    put_varint(index, 1);
    put_varint(index, kernel);
    const std::uint64_t at = add(RecordTag::index, index);
    put(file_, at);
    put(file_, std::uint64_t{file_.size() + 16});
    put(file_, footer_magic);
    return file_;
  }

 private:
  Bytes file_;
};

}  // namespace warpgauge::native::test
