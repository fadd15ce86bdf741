// Executors that are compiled once: memory, atomics, control flow, warp-wide and special instructions.
// What the fields of a micro-op mean to each is said at its definition.
#pragma once

#include "traces/emulator/micro_op.h"

#define WARPGAUGE_SCALAR_EXECUTORS(X)                                                                        \
  /* memory.cpp */                                                                                           \
  X(prefetch_global)                                                                                         \
  X(load_global)                                                                                             \
  X(store_global)                                                                                            \
  X(load_shared)                                                                                             \
  X(store_shared)                                                                                            \
  X(load_local) X(store_local) X(load_generic) X(store_generic) X(load_constant) X(load_bindless_constant)   \
      X(copy_to_shared) X(load_matrix) X(store_matrix) X(query_space)          /* atomic.cpp */              \
      X(atomic_global) X(atomic_shared) X(atomic_generic) X(atomic_aggregated) /* shared_barrier.cpp */      \
      X(arrive_at_state) X(check_phase) X(exchange_state)                      /* control.cpp */             \
      X(no_operation) X(branch_relative) X(branch_divergent) X(branch_converged) X(branch_indexed)           \
          X(call_absolute) X(set_convergence) X(synchronize_convergence) X(break_convergence)                \
              X(save_convergence) X(load_convergence) X(synchronize_warp) X(end_of_collective) X(yield_warp) \
                  X(exit_warp) X(kill_lanes) X(barrier) X(barrier_result) X(trap) X(load_program_counter)    \
                      X(fence) X(arrive_cluster) X(wait_cluster) X(run_away) X(refuse) X(sleep_warp) /* warp_wide.cpp */                       \
      X(vote) X(match) X(shuffle) X(reduce_warp) X(broadcast_to_uniform) X(read_special)                     \
          X(read_special_uniform) X(read_clock) X(predicates_to_register) X(register_to_predicates)          \
              X(predicate_logic) X(sign_logic) X(elect) X(move_matrix) X(swizzle_add)                        \
                  X(uniform_forward) X(add_uniform_pairs) /* conversion.cpp */                               \
      X(float_to_float) X(float_to_integer) X(integer_to_float) X(round_to_integral) X(pack_floats)          \
          X(integer_to_integer) X(pack_integers)                                /* narrow_float.cpp */       \
      X(pack_bytes) X(pack_half_bytes) X(unpack_bytes) X(round_to_tensor_float) /* special_function.cpp */   \
      X(special_function) X(check_division)                                     /* double_directed.cpp */    \
      X(double_directed)                                                        /* matrix.cpp */             \
      X(fetch_texture) X(load_surface) X(store_surface) /* texture_executors.cpp */                              \
  /* bulk_copy.cpp */                                                                                        \
  X(bulk_load) X(bulk_store) X(bulk_between_blocks) X(bulk_prefetch) X(store_async)                          \
  /* tensor_copy.cpp */                                                                                      \
  X(tensor_load) X(tensor_store) X(tensor_prefetch)                                                          \
  X(matrix_half) X(matrix_half_volta) X(matrix_integer) X(matrix_binary) X(matrix_double)                     \
  X(warpgroup_product) X(allocate_registers) /* warpgroup_matrix.cpp */

namespace warpgauge::emulator::scalar {

#define X(NAME) void NAME(Block& block, Warp& warp, const MicroOp& op, std::uint32_t mask);
WARPGAUGE_SCALAR_EXECUTORS(X)
#undef X

}  // namespace warpgauge::emulator::scalar
