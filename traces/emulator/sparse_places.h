// Which columns of a sparse factor A its stored elements are of: the metadata of mma.sp and of
// wgmma.mma_async.sp.
//
// PTX ISA, "Sparse matrix storage" and the metadata of each shape. A row's columns lie in chunks; of each
// chunk half are stored, and four bits of metadata say which: two numbers of two bits, the first stored
// element's (or pair's) below.
//   16 bits: chunks of four, 2 stored      8 bits: chunks of four, 2 stored
//   tf32:    chunks of two, 1 stored       4 bits: chunks of eight, 2 pairs stored
// tf32 is chosen as two elements of 16 bits would be: 0100 is the first, 1110 the second (sparse_tf32).
//
// Of a quad the lanes that the selector names have the metadata. Of 16 bits and tf32 a lane has four chunks
// of row g in its lower half and as many of row g + 8 in its upper; of 8 and 4 bits, eight chunks of one row,
// odd lanes' of row g + 8. Which lane has which half is what CUTLASS's reorder_meta
// (tools/util/include/cutlass/util/host_reorder.h) does.
#pragma once

#include <cstdint>

#include "traces/emulator/micro_op.h"

namespace warpgauge::emulator {

// How a sparse A's elements are stored. `bits`: of an element as its chunk is described above.
struct SparseForm {
  unsigned per_word;         // elements of a register
  unsigned stored_of_chunk;  // elements of a chunk that are stored
  unsigned chunk;            // columns of a chunk
  bool rows_in_halves;       // a lane's metadata is of rows g and g + 8
};

constexpr SparseForm sparse_form(unsigned bits) {
  switch (bits) {
    case 32:
      return {1, 1, 2, true};
    case 16:
      return {2, 2, 4, true};
    case 8:
      return {4, 2, 4, false};
    default:
      return {8, 4, 8, false};
  }
}

// The four bits of one chunk. `chunks`: of a row; `upper`: row g + 8.
constexpr std::uint32_t sparse_choice(const std::uint32_t* metadata, const SparseForm& form,
                                      unsigned selector, unsigned chunks, unsigned g, unsigned upper,
                                      unsigned chunk) {
  // Lanes of a quad that have one row's metadata, each `of_lane` chunks.
  const unsigned of_lane = form.rows_in_halves ? 4 : 8;
  const unsigned parts = chunks / of_lane;
  const unsigned step = form.rows_in_halves ? 1 : 2;
  const unsigned in_quad = (selector * parts + chunk / of_lane) * step + (form.rows_in_halves ? 0 : upper);
  const unsigned from = (form.rows_in_halves ? 16 * upper : 0) + 4 * (chunk % of_lane);
  return metadata[4 * g + in_quad % 4] >> from & 15U;  // no compiler writes a selector beyond the quad
}

// The column of a chunk that its stored element number `stored` is of.
constexpr unsigned sparse_column(const SparseForm& form, std::uint32_t choice, unsigned stored) {
  if (form.stored_of_chunk == 1) return choice >> 3;
  if (form.stored_of_chunk == 2) return choice >> (2 * stored) & 3U;
  return 2 * (choice >> (stored & 2U) & 3U) + stored % 2;
}

// The column of A that lane 4g + t's element `part` of its register `word` of a row is of. `words`: registers
// of a row.
constexpr unsigned sparse_place(const std::uint32_t* metadata, const SparseForm& form, unsigned selector,
                                unsigned words, unsigned lane, unsigned upper, unsigned word, unsigned part) {
  const unsigned stored = (4 * word + lane % 4) * form.per_word + part;
  const unsigned chunk = stored / form.stored_of_chunk;
  const unsigned chunks = 4 * words * form.per_word / form.stored_of_chunk;
  const std::uint32_t choice = sparse_choice(metadata, form, selector, chunks, lane / 4, upper, chunk);
  return chunk * form.chunk + sparse_column(form, choice, stored % form.stored_of_chunk);
}

// What of a chunk's two words of B an element of tf32 is multiplied by: two halves as they are chosen, the
// first the lower. So it is on an H200 also of choices that the PTX ISA does not define.
constexpr std::uint32_t sparse_tf32(const std::uint32_t* chunk, std::uint32_t choice) {
  const auto half = [chunk](std::uint32_t number) {
    return chunk[number / 2] >> 16 * (number % 2) & 0xffffU;
  };
  return half(choice & 3U) | half(choice >> 2 & 3U) << 16;
}

}  // namespace warpgauge::emulator
