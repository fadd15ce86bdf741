#include "model/machine.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "calib/calibration.h"
#include "model/gpu/chip.h"
#include "model/machine_spec.h"
#include "model/memory/tpc_distances.h"
#include "model/sm/sink.h"
#include "model/sm/way_out.h"
#include "traces/sass/opcode.h"

namespace warpgauge::model {
namespace {

IssueSpec issue_spec(const calib::Calibration& c) {
  IssueSpec s;
  s.policy = static_cast<PickPolicy>(c.issue.policy);
  s.block_priority = static_cast<BlockPriority>(c.issue.block_priority);
  s.branch_cost = c.issue.branch_cost;
  s.taken_branch_cost = c.issue.taken_branch_cost;
  s.divergent_branch_extra = c.issue.divergent_branch_extra;
  s.reconverge_cost = c.issue.reconverge_cost;
  s.divergence_switch_cost = c.issue.divergence_switch_cost;
  s.indirect_branch_extra = c.issue.indirect_branch_extra;
  s.indirect_branch_interval = c.issue.indirect_branch_interval;
  s.restored_reconverge_extra = c.issue.restored_reconverge_extra;
  s.break_cost = c.issue.break_cost;
  s.reconverge_interval = c.issue.reconverge_interval;
  s.refetch = c.front_end.decode_stages;
  s.barrier_latency = c.issue.barrier_latency;
  s.barrier_per_warp = c.issue.barrier_per_warp;
  s.barrier_reduction_extra = c.issue.barrier_reduction_extra;
  s.barrier_register_extra = c.issue.barrier_register_extra;
  s.barrier_predicate_extra = c.issue.barrier_predicate_extra;
  s.barrier_min_distance = c.issue.barrier_min_distance;
  s.collective_cost = c.issue.collective_cost;
  s.warp_sync_cost = c.issue.warp_sync_cost;
  s.warp_sync_mask_cost = c.issue.warp_sync_mask_cost;
  s.warp_sync_mask_extra = c.issue.warp_sync_mask_extra;
  s.warp_sync_mask_interval = c.issue.warp_sync_mask_interval;
  s.warp_sync_mask_interval_extra = c.issue.warp_sync_mask_interval_extra;
  s.warp_sync_exclusive_cost = c.issue.warp_sync_exclusive_cost;
  s.convergence_move_cost = c.issue.convergence_move_cost;
  s.yield_instruction_cost = c.issue.yield_instruction_cost;
  s.held_paths = c.issue.held_paths;
  s.path_return_cost = c.issue.path_return_cost;
  s.membar_cta = c.issue.membar_cta;
  s.membar_gpu = c.issue.membar_gpu;
  s.membar_sys = c.issue.membar_sys;
  s.membar_interval = c.issue.membar_interval;
  s.drain_hold = c.issue.drain_hold;
  s.yield_cost = c.issue.yield_cost;
  s.yield_wait = c.issue.yield_wait;
  s.yield_turn = c.issue.yield_turn;
  s.long_stall_without_yield = c.issue.long_stall_without_yield;
  s.guard_false_cost = c.issue.guard_false_cost;
  // The increment takes place in the cycle after issue, dependence_counter_delay cycles before it is in
  // sight.
  s.counter_visible_after = 1 + c.issue.dependence_counter_delay;
  s.depbar_cost = c.issue.depbar_cost;
  s.exit_cost = c.issue.exit_cost;
  s.cga_error_barrier = c.issue.cga_error_barrier;
  s.nanosleep_min = c.issue.nanosleep_min;
  s.nanosleep_wake = c.issue.nanosleep_wake;
  s.nanosecond = c.clocks.sm * 1e-3;
  s.wide_multiply_extra = c.issue.wide_multiply_extra;
  s.wide_multiply_distance = c.issue.wide_multiply_distance;
  s.special_function_entry = c.issue.special_function_entry;
  return s;
}

FrontEndSpec front_end_spec(const calib::Calibration& c) {
  const calib::FrontEnd& f = c.front_end;
  FrontEndSpec s;
  s.decode_stages = f.decode_stages;
  s.buffer_entries = std::max(1U, c.issue.instruction_buffer_entries);
  s.line_bytes = static_cast<unsigned>(f.l0_line);
  s.l0_lines = static_cast<unsigned>(f.l0_bytes / f.l0_line);
  s.l0_ways = f.l0_ways;
  s.prefetch_lines = f.l0_prefetch_lines;
  s.launch_prefetch_lines = static_cast<unsigned>(f.launch_prefetch_bytes / f.l0_line);
  s.launch_prefetch_interval = f.launch_prefetch_interval;
  // The second level is looked up by lines of the L0.
  s.l1_lines = static_cast<unsigned>(f.l1_bytes / f.l0_line);
  s.l1_ways = f.l1_ways;
  s.l1_latency = f.l1_latency - f.l0_prefetch_delay;
  s.l1_interval = f.l1_lines_per_cycle > 0 ? 1 / f.l1_lines_per_cycle : 0;
  s.l0_shared = f.l0_shared;
  s.l0_sms = f.l0_sms;
  s.gpc_interval = f.gpc_lines_per_cycle > 0 ? 1 / f.gpc_lines_per_cycle : 0;
  s.l2_latency = f.l2_latency;
  s.l2_interval = f.l2_lines_per_cycle > 0 ? 1 / f.l2_lines_per_cycle : 0;
  s.memory_latency = f.memory_latency;
  s.branch_line = f.branch_line;
  s.branch_fill = f.branch_fill;
  s.branch_turn_wait = f.branch_turn_wait;
  s.branch_next_line = f.branch_next_line;
  s.block_lines = f.l0_shared ? f.block_lines : 0;
  s.block_latency = f.block_latency;
  s.block_next_line = f.block_next_line;
  s.prefetch_delay = f.l0_prefetch_delay;
  return s;
}

ConstantSpec constant_spec(const calib::Calibration& c) {
  const calib::Constant& k = c.constant;
  ConstantSpec s;
  s.l0_line_bytes = static_cast<unsigned>(k.l0_line);
  s.l0_lines = static_cast<unsigned>(k.l0_bytes / k.l0_line);
  s.l0_ways = k.l0_ways;
  s.l0_miss_delay = k.l0_miss_delay;
  s.l1_line_bytes = static_cast<unsigned>(k.l1_line);
  s.l1_lines = static_cast<unsigned>(k.l1_bytes / k.l1_line);
  s.l1_ways = k.l1_ways;
  s.l1_by_turns = k.l1_replacement == calib::Replacement::not_lru;
  s.l1_latency = k.l1_latency;
  s.l15_line_bytes = static_cast<unsigned>(k.l15_line);
  s.l15_lines = static_cast<unsigned>(k.l15_bytes / k.l15_line);
  s.l15_ways = k.l15_ways;
  s.l15_latency = k.l15_latency;
  s.l2_latency = k.l2_latency;
  s.cycles_per_address = k.cycles_per_address;
  s.unit_interval = k.unit_interval;
  s.unit_takes_barriers = k.unit_takes_barriers;
  s.address_interval = k.address_interval;
  s.loads_in_flight = std::max(1U, k.loads_in_flight);
  s.l1_miss_interval = k.l1_miss_interval;
  s.lines_in_flight = k.lines_in_flight;
  s.line_hold = k.line_hold;
  s.line_retry = k.line_retry;
  s.return_interval = k.return_interval;
  s.gpc_interval = k.gpc_lines_per_cycle > 0 ? 1 / k.gpc_lines_per_cycle : 0;
  return s;
}

RegisterFileSpec register_spec(const calib::Calibration& c) {
  const calib::Registers& r = c.registers;
  RegisterFileSpec s;
  s.banks = r.banks;
  s.ports_per_bank = r.read_ports_per_bank;
  s.reuse_slots = r.reuse_slots;
  s.reuse_per_bank = r.reuse_per_bank;
  s.reuse_survives_warp_switch = r.reuse_survives_warp_switch;
  s.read_window = r.read_window;
  s.write_delay = r.write_delay;
  s.wide_read_window = r.wide_read_window;
  s.read_again = r.read_again;
  s.factor_delay = c.issue.wide_multiply_distance - std::min(c.issue.wide_multiply_distance, r.write_delay);
  s.late_write = r.late_write;
  s.operand_cycles = r.operand_cycles;
  s.operand_first = r.operand_first;
  s.operand_interval = std::max(1U, r.operand_interval);
  return s;
}

KindSpec kind_spec(const calib::Pipe& pipe) {
  return {pipe.issue_interval, pipe.blocks_sharing, pipe.queue_entries};
}

void set_kinds(SmSpec& s, const calib::Calibration& c) {
  const auto set = [&s](Kind kind, const calib::Pipe& pipe) {
    s.kinds[static_cast<std::size_t>(kind)] = kind_spec(pipe);
  };
  const calib::Pipes& p = c.pipes;
  set(Kind::fp32, p.fma_heavy);
  set(Kind::imad, p.imad);
  set(Kind::imad_wide, p.imad_wide);
  set(Kind::alu, p.alu);
  set(Kind::fp16, p.fp16);
  set(Kind::fp64, p.fp64);
  set(Kind::mufu, p.xu);
  set(Kind::bits, p.bits);
  set(Kind::conversion, p.conversion);
  set(Kind::conversion_wide, p.conversion_wide);
  set(Kind::conversion_narrow, p.conversion_narrow);
  set(Kind::vote, p.vote);
  set(Kind::clock, p.clock);
  set(Kind::predicate, p.predicate);
  set(Kind::uniform, p.uniform);
  set(Kind::uniform_move, p.uniform_move);
  set(Kind::uniform_load, p.uniform_load);
  set(Kind::branch, p.branch);
  set(Kind::matrix, p.matrix_half);
  set(Kind::redux, p.redux);
  set(Kind::shuffle, p.shuffle);
  set(Kind::match, p.match);
  set(Kind::special_register, p.special_register);
  set(Kind::texture, p.texture);
  s.fma_lite = kind_spec(p.fma_lite);
  s.uniform_datapath = c.uniform.present;
  // LSU instructions bring their own intervals; what only passes the queue takes its address unit's time.
  s.kinds[static_cast<std::size_t>(Kind::memory)] = {c.lsu.address_interval, false, 0};
  s.kinds[static_cast<std::size_t>(Kind::other_queued)] = {c.lsu.address_interval, false, 0};
}

void set_access(SmSpec& s, const calib::Calibration& c) {
  const auto set = [&s](Access access, const calib::Access& a) {
    s.access[static_cast<std::size_t>(access)] = {a.war, a.raw, a.war_uniform, a.raw_uniform};
  };
  const calib::Accesses& a = c.access;
  set(Access::load_global_32, a.load_global_32);
  set(Access::load_global_64, a.load_global_64);
  set(Access::load_global_128, a.load_global_128);
  set(Access::store_global_32, a.store_global_32);
  set(Access::store_global_64, a.store_global_64);
  set(Access::store_global_128, a.store_global_128);
  set(Access::load_shared_32, a.load_shared_32);
  set(Access::load_shared_64, a.load_shared_64);
  set(Access::load_shared_128, a.load_shared_128);
  set(Access::store_shared_32, a.store_shared_32);
  set(Access::store_shared_64, a.store_shared_64);
  set(Access::store_shared_128, a.store_shared_128);
  set(Access::load_generic_32, a.load_generic_32);
  set(Access::load_local_32, a.load_local_32);
  set(Access::store_local_32, a.store_local_32);
  set(Access::load_constant_32, a.load_constant_32);
  set(Access::load_constant_64, a.load_constant_64);
  set(Access::copy_32, a.copy_32);
  set(Access::copy_64, a.copy_64);
  set(Access::copy_128, a.copy_128);
  set(Access::load_matrix_1, a.load_matrix_1);
  set(Access::load_matrix_2, a.load_matrix_2);
  set(Access::load_matrix_4, a.load_matrix_4);
  set(Access::store_matrix_4, a.store_matrix_4);
  set(Access::atomic_shared, a.atomic_shared);
  set(Access::atomic_global, a.atomic_global);
  set(Access::reduce_global, a.reduce_global);
  set(Access::texture, a.texture);
  ClusterSpec& cluster = s.cluster;
  const double sector = static_cast<double>(c.l1.sector);
  const auto each = [](double bytes, double rate) { return rate > 0 ? bytes / rate : 0; };
  cluster.load_latency = static_cast<unsigned>(c.cluster.remote_shared_latency);
  cluster.far_extra = static_cast<unsigned>(c.cluster.remote_shared_far_extra);
  cluster.atomic_extra = static_cast<unsigned>(c.cluster.remote_atomic_extra);
  cluster.load_line = c.cluster.remote_line;
  cluster.load_sector = c.cluster.remote_line_sector;
  cluster.packet = each(sector, c.cluster.remote_store_bytes_per_cycle);
  cluster.atomic_sector = c.cluster.remote_atomic_sector;
  cluster.atomic_turn = c.cluster.remote_atomic_turn;
  cluster.arrival_packet = each(sector, c.cluster.remote_taken_bytes_per_cycle);
  cluster.answer_sector = each(sector, c.cluster.remote_bytes_per_cycle);
  cluster.acknowledgement = c.cluster.remote_acknowledgement;
  cluster.sector_passes = c.cluster.remote_sector_passes;
  cluster.window = static_cast<double>(c.cluster.remote_packets);
  cluster.ahead = static_cast<unsigned>(c.cluster.remote_ahead);
  cluster.arrival = static_cast<unsigned>(c.cluster.remote_arrival);
  cluster.between_blocks = static_cast<unsigned>(c.cluster.between_blocks_latency);
  cluster.between_blocks_byte = each(1, c.cluster.between_blocks_bytes_per_cycle);
  cluster.barrier_latency = static_cast<unsigned>(c.cluster.barrier_latency);
  cluster.barrier_alone = static_cast<unsigned>(c.cluster.barrier_alone);
  cluster.object_latency = static_cast<unsigned>(c.cluster.mbarrier_wait);
  cluster.object_wake = static_cast<unsigned>(c.cluster.mbarrier_wake);
  cluster.object_wake_interval = static_cast<unsigned>(c.cluster.mbarrier_wake_interval);
  cluster.object_patience = static_cast<unsigned>(c.cluster.mbarrier_patience);
  BulkSpec& bulk = s.bulk;
  bulk.issue = static_cast<unsigned>(c.cluster.tma_issue);
  bulk.done = static_cast<unsigned>(c.cluster.tma_done);
  bulk.map = static_cast<unsigned>(c.cluster.tma_map);
  bulk.line = c.cluster.tma_line;
  bulk.row = c.cluster.tma_row;
  bulk.store = static_cast<unsigned>(c.cluster.tma_store);
  bulk.store_byte = each(1, c.cluster.tma_store_bytes_per_cycle);
  bulk.reduction_byte = each(1, c.cluster.tma_reduction_bytes_per_cycle);
  GroupProductSpec& product = s.group_product;
  product.column = c.gmma.cycles_per_column;
  product.least = static_cast<double>(c.gmma.min_cycles);
  product.least_column = c.gmma.min_cycles_per_column;
  product.latency = static_cast<unsigned>(c.gmma.latency);
  product.register_least = static_cast<double>(c.gmma.register_min_cycles);
  product.register_sooner = static_cast<unsigned>(c.gmma.register_sooner);
  product.arrive = static_cast<unsigned>(c.gmma.arrive_distance);
  product.queue = static_cast<unsigned>(c.gmma.queue_entries);
  product.queue_delay = static_cast<unsigned>(c.gmma.queue_delay);
  product.write_period = static_cast<unsigned>(c.gmma.write_period);
  product.write_window = static_cast<unsigned>(c.gmma.write_window);
  product.pipe_delay = static_cast<unsigned>(c.gmma.pipe_delay);
  product.xu_delay = c.gmma.xu_delay;
  product.shared_latency = c.gmma.shared_latency;
  TextureSpec& texture = s.texture;
  texture.texel_latency = static_cast<unsigned>(c.l1.texture_hit_latency);
  texture.nearest_latency = texture.texel_latency + static_cast<unsigned>(c.texture.filter_extra);
  texture.linear_latency = texture.nearest_latency + static_cast<unsigned>(c.texture.linear_extra);
  texture.surface_latency = texture.texel_latency + static_cast<unsigned>(c.texture.surface_extra);
  texture.header_latency = static_cast<unsigned>(c.texture.header_latency);
  texture.request_interval = static_cast<unsigned>(c.texture.request_interval);
}

void set_matrices(SmSpec& s, const calib::Calibration& c) {
  const auto set = [&s](Matrix shape, const calib::Matrix& m) {
    s.matrix_interval[static_cast<std::size_t>(shape)] = m.issue_interval;
    s.matrix_latency[static_cast<std::size_t>(shape)] = m.latency;
  };
  const calib::Matrices& m = c.matrix;
  set(Matrix::hmma_884_f16, m.hmma_884_f16);
  set(Matrix::hmma_884_f32, m.hmma_884_f32);
  set(Matrix::hmma_1688_f16, m.hmma_1688_f16);
  set(Matrix::hmma_1688_f32, m.hmma_1688_f32);
  set(Matrix::hmma_16816_f16, m.hmma_16816_f16);
  set(Matrix::hmma_16816_f32, m.hmma_16816_f32);
  set(Matrix::hmma_1684_tf32, m.hmma_1684_tf32);
  set(Matrix::hmma_1688_tf32, m.hmma_1688_tf32);
  set(Matrix::imma_8816, m.imma_8816);
  set(Matrix::imma_16816, m.imma_16816);
  set(Matrix::imma_16832, m.imma_16832);
  set(Matrix::imma_8832, m.imma_8832);
  set(Matrix::imma_16864, m.imma_16864);
  set(Matrix::hmma_sp_16816_f16, m.hmma_sp_16816_f16);
  set(Matrix::hmma_sp_16816_f32, m.hmma_sp_16816_f32);
  set(Matrix::hmma_sp_16832_f16, m.hmma_sp_16832_f16);
  set(Matrix::hmma_sp_16832_f32, m.hmma_sp_16832_f32);
  set(Matrix::hmma_sp_1688_tf32, m.hmma_sp_1688_tf32);
  set(Matrix::hmma_sp_16816_tf32, m.hmma_sp_16816_tf32);
  set(Matrix::imma_sp_16832, m.imma_sp_16832);
  set(Matrix::imma_sp_16864, m.imma_sp_16864);
  set(Matrix::bmma_88128, m.bmma_88128);
  set(Matrix::dmma_884, m.dmma_884);
  set(Matrix::movm, m.movm);
}

MemoryUnitSpec memory_unit_spec(const calib::Calibration& c) {
  MemoryUnitSpec s;
  s.queue_entries = c.lsu.queue_entries + 1;  // and the latch before it
  // An access has left its processing block when its address register is read, one whose address takes longer than two
  // cycles a cycle later (probe lsu.queue: the eleventh LDG of a row issues after 14 cycles, the eleventh LDS after 13).
  s.slot_release = c.access.load_global_32.war;
  s.address_interval = c.lsu.address_interval;
  s.address_interval_uniform = c.lsu.address_interval_uniform;
  s.address_interval_shared_load = c.lsu.address_interval_shared_load;
  s.address_interval_store_global = c.lsu.address_interval_store_global;
  s.address_interval_atomic_generic = c.lsu.address_interval_atomic_generic;
  s.match_value_latency = c.lsu.match_value_latency;
  s.match_value_interval = c.lsu.match_value_interval;
  s.store_global_interval = c.lsu.store_global_interval;
  s.store_hold = c.lsu.store_hold;
  s.store_hold_line = c.lsu.store_hold_line;
  s.stored_lines = c.lsu.stored_lines;
  s.stored_narrow_lines = c.lsu.stored_narrow_lines;
  s.stored_open_rows = c.lsu.stored_open_rows;
  s.joined_pieces = c.interconnect.joined_pieces;
  s.leaving_lines = c.lsu.leaving_lines;
  s.leaving_cycles = static_cast<unsigned>(c.lsu.leaving_cycles);
  s.leaving_interval = c.lsu.leaving_interval;
  s.stores_in_line = std::min(c.lsu.stores_in_line, WayOut::most_waiting - 1);
  s.fence_turn = c.lsu.fence_turn;
  s.waiting_stores = std::clamp(c.lsu.waiting_stores, 1U, WayOut::most_waiting);
  s.outgoing_lines = std::clamp(c.lsu.outgoing_lines, 1U, WayOut::most_waiting);
  s.lines_of_a_bank = c.lsu.lines_of_a_bank;
  s.crowded_lines = c.lsu.crowded_lines;
  s.port_bytes_per_cycle = c.interconnect.sm_request_bytes_per_cycle;
  s.request_header = static_cast<unsigned>(c.interconnect.request_header);
  s.shared_unit_interval = c.lsu.shared_unit_interval;
  s.data_queue = c.lsu.data_queue_entries;
  s.loads_in_flight = c.lsu.loads_in_flight_per_sm;
  s.banks = c.shared.banks;
  s.bank_bytes = static_cast<unsigned>(c.shared.bank_bytes);
  s.conflict_pass_cost = c.shared.conflict_pass_cost;
  s.conflict_pass_latency = c.shared.conflict_pass_latency;
  s.passes_64 = c.shared.passes_64;
  s.passes_128 = c.shared.passes_128;
  s.wide_loads_merge = c.shared.wide_loads_merge;
  s.bank_conflicts = c.shared.bank_conflicts;
  s.one_data_stage_with_l1 = c.shared.one_data_stage_with_l1;
  s.contention = c.atomics.contention;
  s.shared_atomic_latency = c.atomics.shared_latency;
  s.global_atomic_latency = c.atomics.global_latency;
  s.shared_atomic_rate = c.atomics.shared_rate;
  return s;
}

L1Spec l1_spec(const calib::Calibration& c) {
  L1Spec s;
  s.line_bytes = static_cast<unsigned>(c.l1.line);
  s.sector_bytes = static_cast<unsigned>(c.l1.sector);
  s.sets = c.l1.sets;
  s.set_hash = ParityHash(c.l1.set_masks);
  s.tag_ways = c.l1.tag_ways;
  s.new_line_age = c.l1.new_line_age;
  s.evicted_at_once = c.l1.evicted_at_once;
  s.size_bytes = static_cast<unsigned>(c.l1.size);
  s.max_data_bytes = static_cast<unsigned>(c.l1.max_data_bytes);
  s.carveouts = c.chip.shared_carveouts;
  s.data_sizes = c.l1.detected_sizes;
  s.hit_latency = c.l1.hit_latency;
  s.miss_latency = c.l1.miss_latency;
  s.atomic_return_interval = c.l1.atomic_return_interval;
  s.atomic_return_interval_words = c.l1.atomic_return_interval_words;
  s.atomic_return_interval_turn = c.l1.atomic_return_interval_turn;
  s.tag_banks = TagBanks(std::max(1U, c.l1.tag_lines_per_cycle), c.l1.tag_bank_masks);
  s.bytes_per_cycle = static_cast<unsigned>(c.l1.bytes_per_cycle);
  s.banks = c.l1.banks;
  s.bank_bytes = static_cast<unsigned>(c.l1.bank_bytes);
  s.misses_in_flight = c.l1.misses_in_flight;
  s.sectors_in_flight = c.l1.sectors_in_flight;
  s.fill_interval = c.l1.fill_interval;
  s.data_queue = c.l1.data_queue_entries;
  s.stores_allocate = c.l1.stores_allocate;
  s.victim = c.l1.replacement == calib::Replacement::lru ? Victim::oldest : Victim::unused;
  return s;
}

MemorySpec memory_spec(const calib::Calibration& c) {
  MemorySpec s;
  const double sm_hz = c.clocks.sm * 1e6;
  const double l2_ratio = c.clocks.l2 / c.clocks.sm;
  const auto cycles = [sm_hz](double ns) { return ns * sm_hz * 1e-9; };
  s.sms = c.chip.sm_count;
  s.launch_read_sectors = c.launch.l2_read_sectors;
  s.launch_barriers = c.launch.l2_barrier_sectors;
  s.launch_hits = c.launch.l2_hit_sectors;
  s.launch_sm_barriers = c.launch.l2_sm_barrier_sectors;
  for (std::size_t i = 0; i < c.launch.l2_late_times.size(); ++i) {
    const double at = static_cast<double>(c.launch.l2_late_times[i]) * 1e-9 * sm_hz;
    s.late.push_back({static_cast<Cycle>(at), static_cast<unsigned>(c.launch.l2_late_write_sectors[i]),
                      static_cast<unsigned>(c.launch.l2_late_barrier_sectors[i])});
  }
  s.launch_barrier_interval = c.launch.l2_barrier_interval;

  CrossbarSpec& x = s.crossbar;
  // What a load that misses the L1 takes beyond one that hits is the way to the L2 and back.
  x.round_trip = c.l2.hit_latency - std::min(c.l2.hit_latency - 1, c.l1.hit_latency);
  x.sm_request_bytes_per_cycle = c.interconnect.sm_request_bytes_per_cycle;
  // What one SM alone was seen to read is a bound from below.
  x.sm_reply_bytes_per_cycle =
      std::max(c.interconnect.sm_reply_bytes_per_cycle, c.l2.sm_read_bytes_per_cycle);
  x.tpc_reply_bytes_per_cycle = c.interconnect.tpc_reply_bytes_per_cycle;
  x.gpc_request_bytes_per_cycle = c.interconnect.gpc_request_bytes_per_cycle;
  x.gpc_reply_bytes_per_cycle = c.interconnect.gpc_reply_bytes_per_cycle;
  x.request_header = static_cast<unsigned>(c.interconnect.request_header);
  x.slice_spread = c.interconnect.slice_spread;
  x.slice_far_extra = c.interconnect.slice_far_extra;
  x.slice_mean_extra = c.interconnect.slice_mean_extra;
  x.sms_per_tpc = std::max(1U, c.chip.sms_per_tpc);
  x.cpcs_per_gpc = std::max(1U, c.chip.cpcs_per_gpc);
  x.cpc_way_bytes_per_cycle = c.interconnect.cpc_way_bytes_per_cycle;
  x.cpc_ways = std::max(1U, c.interconnect.cpc_ways);
  x.cpc_ways_of_stretch = std::max(1U, c.interconnect.cpc_ways_of_stretch);
  x.sm_waiting_messages = c.interconnect.sm_waiting_messages;
  x.join_most = c.interconnect.join_most;
  x.join_window = c.interconnect.join_window;
  x.join_window_most = c.interconnect.join_window_most;
  x.join_alike = c.interconnect.join_alike;
  x.joined_per_lookup = std::max(1U, c.interconnect.joined_per_lookup);
  unsigned gpc = 0;
  for (const std::uint64_t sms : c.chip.gpc_sms) {
    x.gpc_of_sm.insert(x.gpc_of_sm.end(), sms, gpc);
    ++gpc;
  }
  ClusterShape shape;
  shape.sms.assign(c.chip.gpc_sms.begin(), c.chip.gpc_sms.end());
  shape.sms_per_tpc = x.sms_per_tpc;
  shape.cpcs_per_gpc = x.cpcs_per_gpc;
  shape.loose_sms = c.chip.loose_sms;
  x.distances = tpc_distances(shape, c.chip.tpc_distances);
  x.gpc_partitions.assign(c.chip.gpc_partitions.begin(), c.chip.gpc_partitions.end());

  L2Spec& l2 = s.l2;
  l2.size_bytes = c.l2.size;
  l2.slices = c.l2.slices;
  l2.ways = c.l2.ways;
  // Requests come by line of the L1; where the L2's lines are shorter, one entry stands for the lines of a
  // request.
  l2.line_bytes = static_cast<unsigned>(std::max(c.l2.line, c.l1.line));
  l2.sector_bytes = static_cast<unsigned>(c.l2.sector);
  x.cpc_way_stretch_lines = std::max<std::uint64_t>(1, c.interconnect.cpc_way_stretch / l2.line_bytes);
  l2.partitions = c.l2.partitions;
  l2.far_extra = c.l2.far_extra;
  l2.store_take_back_extra = c.l2.store_take_back_extra;
  l2.fence_sectors = c.l2.fence_sectors;
  l2.fence_far_sectors = c.l2.fence_far_sectors;
  l2.link_interval = c.l2.link_bytes_per_cycle > 0 ? l2.sector_bytes / (c.l2.link_bytes_per_cycle * l2_ratio) : 0;
  l2.written_share = c.l2.written_share / 100;
  l2.written_in_part_share = c.l2.written_in_part_share / 100;
  l2.partition_interleave = c.l2.partition_interleave;
  l2.slice_interleave = {std::max<std::uint64_t>(c.l2.slice_interleave, l2.line_bytes),
                         std::max<std::uint64_t>(c.l2.interleave_piece, l2.line_bytes)};
  // The width of a slice bounds it, and all slices together what was measured of the whole.
  const double measured = c.l2.read_bandwidth * 1e9 / sm_hz / c.l2.slices;
  l2.slice_bytes_per_cycle = std::min(c.l2.slice_bytes_per_cycle * l2_ratio, measured);
  l2.slice_write_bytes_per_cycle = c.l2.slice_write_bytes_per_cycle * l2_ratio;
  l2.partial_write_extra = c.l2.slice_partial_write_extra / l2_ratio;
  l2.store_again_within = static_cast<double>(c.l2.slice_store_again_within) / l2_ratio;
  l2.store_again = c.l2.slice_store_again / l2_ratio;
  l2.load_behind_store = c.l2.slice_load_behind_store / l2_ratio;
  l2.request_interval = c.l2.slice_request_interval / l2_ratio;
  l2.far_store_extra = c.l2.slice_far_store_extra / l2_ratio;
  l2.reads_past_miss = c.l2.slice_reads_past_miss;
  l2.request_bytes = static_cast<double>(c.l2.request_bytes);
  l2.slice_places = c.l2.slice_places;
  l2.fetch_bytes = static_cast<unsigned>(c.l2.prefetch_bytes);
  l2.atomic_latency = c.l2.atomic_latency;
  l2.atomic_far_extra = c.l2.atomic_far_extra;
  // Operations on one word come back to its sector one after the other; distinct words of a sector go
  // together.
  const double words_per_sector = static_cast<double>(l2.sector_bytes) / 4;
  l2.atomic_sector_rate = c.atomics.slice_same_line / words_per_sector * l2_ratio;
  l2.atomic_word_rate = c.atomics.slice_same_word * l2_ratio;
  l2.atomic_answer = c.atomics.slice_answer / l2_ratio;
  l2.atomic_answer_word = c.atomics.slice_answer_word / l2_ratio;
  l2.atomic_float_word_rate = c.atomics.slice_same_word_float * l2_ratio;

  DramSpec& dram = s.dram;
  dram.slice_channels = c.dram.slice_channels;
  dram.channels = dram.slice_channels == 0 ? c.dram.channels : std::max(1U, l2.slices) * dram.slice_channels;
  dram.channel_bytes_per_cycle = c.dram.peak_bandwidth * 1e9 / sm_hz / dram.channels;
  // The latency was measured by an SM whose lines lie in both partitions.
  const unsigned hit = c.l2.hit_latency + (c.l2.partitions > 1 ? c.l2.far_extra / 2 : 0);
  dram.latency = c.dram.latency - std::min(c.dram.latency, hit);
  dram.code_extra = c.dram.code_extra;
  dram.access_bytes = static_cast<unsigned>(c.dram.access_bytes);
  dram.channel_interleave = {c.dram.channel_interleave, l2.slice_interleave.piece};
  dram.banks_per_channel = c.dram.banks_per_channel;
  dram.row_bytes = c.dram.row_bytes;
  dram.row_cycle = cycles(c.dram.row_cycle);
  dram.row_interval = cycles(c.dram.row_interval);
  dram.row_read_least = cycles(c.dram.row_read_least);
  dram.row_write_least = cycles(c.dram.row_write_least);
  dram.written_pieces = c.dram.written_pieces;
  dram.row_piece_bytes = c.dram.row_piece;
  dram.row_miss_extra = c.dram.row_miss_extra;
  dram.refresh_interval = cycles(c.dram.refresh_interval);
  dram.refresh_time = cycles(c.dram.refresh_time);
  dram.refresh_block = c.dram.refresh_block;
  for (const std::uint64_t offset : c.dram.refresh_offsets)
    dram.refresh_offsets.push_back(cycles(static_cast<double>(offset)));
  dram.read_efficiency = c.dram.read_efficiency / 100;
  dram.write_efficiency = c.dram.write_efficiency / 100;
  dram.mixed_efficiency = c.dram.mixed_efficiency / 100;
  dram.read_mix_efficiency = c.dram.read_mix_efficiency / 100;
  dram.write_mix_efficiency = c.dram.write_mix_efficiency / 100;
  dram.mixed_wait = c.dram.mixed_wait;
  dram.write_wait = c.dram.write_wait;
  dram.queue = c.dram.queue;
  dram.late_lines = c.dram.late_lines;

  BusSpec& bus = s.bus;
  const double sectors_per_cycle = 1e9 / sm_hz / static_cast<double>(l2.sector_bytes);
  bus.latency = std::max(0.0, cycles(c.bus.latency) - hit);
  bus.latency_growth = cycles(c.bus.latency_growth);
  bus.read_interval = cycles(c.bus.read_interval);
  bus.read_sector = 1 / (c.bus.read_bandwidth * sectors_per_cycle);
  bus.write_sector = 1 / (c.bus.write_bandwidth * sectors_per_cycle);
  bus.partial_write = cycles(c.bus.partial_write);
  bus.write_latency = cycles(c.bus.write_latency);
  bus.write_buffer = static_cast<double>(c.bus.write_buffer) / l2.sector_bytes * bus.write_sector;
  bus.writes_before_reads = c.bus.writes_before_reads / 100;
  bus.atomic = cycles(c.bus.atomic);
  bus.atomic_interval = cycles(c.bus.atomic_interval);

  const auto tlb = [](const calib::Tlb& t) {
    TlbSpec spec;
    spec.entries = t.page == 0 ? 0 : static_cast<unsigned>(t.coverage / t.page);
    spec.ways = t.ways;
    spec.page_bytes = t.page == 0 ? 1 : t.page;
    spec.miss_extra = t.miss_extra;
    return spec;
  };
  if (c.front_end.gpc_lines_per_cycle > 0) {
    s.cluster_code_lines = static_cast<unsigned>(c.front_end.l1_bytes / c.l2.line);
    s.cluster_code_ways = c.front_end.l1_ways;
  }
  s.first_touch_latency = c.launch.first_touch_latency;
  s.first_touch_interval = c.launch.first_touch_interval;
  s.l1_tlb = tlb(c.tlb.l1);
  s.l2_tlb = tlb(c.tlb.l2);
  return s;
}

CallSpec call_spec(const calib::Calls& c) {
  CallSpec s;
  s.print.cycles = {c.print, c.print_lane, c.print_passed_lane, c.print_character, c.print_string_character, c.print_empty_argument};
  s.print.instructions = {c.print_instructions, c.print_lane_instructions, c.print_passed_lane_instructions,
                          c.print_character_instructions, c.print_string_character_instructions, c.print_empty_argument_instructions};
  s.print.first = c.print_first;
  s.print_arguments = c.print_arguments;
  s.print_before_stores = std::min(c.print_before_stores, c.print);
  s.print_empty_argument_stores = c.print_empty_argument_stores;
  s.allocate = {{c.allocate, c.allocate_lane}, {c.allocate_instructions, c.allocate_lane_instructions},
                {c.allocate_interval, c.allocate_lane_interval}, c.allocate_first};
  s.release = {{c.release, c.release_lane}, {c.release_instructions, c.release_lane_instructions},
               {c.release_interval, c.release_lane_interval}, c.release_first};
  return s;
}

OccupancySpec occupancy_spec(const calib::Calibration& c) {
  OccupancySpec s;
  s.sms = c.chip.sm_count;
  s.max_warps = c.chip.max_warps_per_sm;
  s.max_blocks = c.chip.max_blocks_per_sm;
  s.max_threads = c.chip.max_threads_per_sm;
  s.max_threads_per_block = c.chip.max_threads_per_block;
  s.registers = c.chip.registers_per_sm;
  s.registers_per_block = c.chip.registers_per_block;
  s.register_unit = c.chip.register_allocation_unit;
  s.warp_granularity = c.chip.warp_allocation_granularity;
  s.max_registers_per_thread = c.chip.max_registers_per_thread;
  s.subcores = c.chip.schedulers_per_sm;
  s.shared_unit = c.chip.shared_allocation_unit;
  s.shared_reserved = c.chip.shared_reserved_per_block;
  s.max_shared_per_block = c.chip.max_shared_per_block_optin;
  s.max_shared_per_sm = c.chip.max_shared_per_sm;
  s.barriers_per_block = c.chip.max_barriers_per_block;
  s.carveouts = c.chip.shared_carveouts;
  s.unified = c.l1.size;
  return s;
}

LaunchSpec launch_spec(const calib::Calibration& c) {
  LaunchSpec s;
  s.begin_overhead = c.launch.begin_overhead;
  s.end_overhead = c.launch.end_overhead;
  s.sm_spread = c.launch.sm_spread;
  s.end_acknowledged = c.launch.end_acknowledged;
  s.first_code_latency = c.launch.first_code_latency;
  s.first_code_spread = c.launch.first_code_spread;
  s.first_code_spread_line = c.launch.first_code_spread_line;
  s.block_interval = c.launch.block_interval;
  s.block_end_interval = c.launch.block_end_interval;
  s.sm_block_interval = c.launch.sm_block_interval;
  s.sm_warp_interval = c.launch.sm_warp_interval;
  s.block_start_latency = c.launch.block_start_latency;
  s.warp_interval = c.launch.warp_interval;
  s.block_replace_latency = c.launch.block_replace_latency;
  s.launch_interval = c.launch.launch_interval;
  s.graph_edge = c.launch.graph_edge;
  s.max_running = std::min<unsigned>(c.chip.max_grids, max_running_launches);
  s.order = static_cast<PlacementOrder>(c.launch.block_order);
  s.sms_per_tpc = std::max(1U, c.chip.sms_per_tpc);
  for (const std::uint64_t sms : c.chip.gpc_sms) s.gpc_sms.push_back(static_cast<unsigned>(sms));
  s.loose_sms = c.chip.loose_sms;
  s.loose_first = static_cast<unsigned>(c.chip.loose_turns[0]);
  s.loose_every = static_cast<unsigned>(c.chip.loose_turns[1]);
  return s;
}

// The mnemonic's key spells '.' as '_'.
void set_latencies(SmSpec& s, const calib::Calibration& c) {
  s.opcode_latency.assign(static_cast<std::size_t>(sass::Opcode::count), 0);
#define WARPGAUGE_SET(NAME) \
  s.opcode_latency[static_cast<std::size_t>(sass::Opcode::NAME)] = c.latency.opcode.NAME;
  WARPGAUGE_LATENCY_OPCODES(WARPGAUGE_SET)
#undef WARPGAUGE_SET
}

MatrixClockSpec matrix_clock_spec(const calib::Calibration& c) {
  MatrixClockSpec s;
  if (c.clocks.sm_matrix <= 0 || c.clocks.sm_matrix >= c.clocks.sm) return s;
  s.slow = c.clocks.sm / c.clocks.sm_matrix - 1;
  s.hold = c.clocks.matrix_hold;
  s.start = c.clocks.matrix_start;
  s.start_more = c.clocks.matrix_start_more;
  s.start_more_time = std::max(1.0, c.clocks.matrix_start_more_time);
  s.start_time = std::max<Cycle>(1, c.clocks.matrix_start_time);
  s.own_latency = c.l2.own_latency;
  return s;
}

}  // namespace

MachineSpec machine_spec(const calib::Calibration& c) {
  MachineSpec s;
  s.device = c.device;
  s.sm_mhz = c.clocks.sm;
  s.matrix_clock = matrix_clock_spec(c);
  s.dram_peak_bytes_per_cycle = c.dram.peak_bandwidth * 1e9 / (c.clocks.sm * 1e6);
  if (c.chip.schedulers_per_sm > max_subcores || c.chip.max_warps_per_sm > max_warps_per_sm) {
    throw MachineError(
        "the model holds up to 4 processing blocks and 64 warps an SM; the calibration asks for more");
  }
  const auto fits = [](std::uint64_t banks, std::uint64_t bytes) {
    return std::has_single_bit(banks) && std::has_single_bit(bytes) && banks >= 4 && banks <= 64;
  };
  if (!fits(c.shared.banks, c.shared.bank_bytes) || !fits(c.l1.banks, c.l1.bank_bytes)) {
    throw MachineError(
        "shared.banks and l1.banks are powers of two from 4 to 64, their widths powers of two");
  }
  if (c.lsu.queue_entries + 1 > max_memory_queue) {
    throw MachineError(
        "the model holds up to 15 memory instructions a processing block; lsu.queue_entries asks for more");
  }
  s.sm.subcores = c.chip.schedulers_per_sm;
  s.sm.warps = c.chip.max_warps_per_sm;
  s.sm.issue = issue_spec(c);
  s.sm.front_end = front_end_spec(c);
  s.sm.constant = constant_spec(c);
  s.sm.registers = register_spec(c);
  set_kinds(s.sm, c);
  set_access(s.sm, c);
  set_matrices(s.sm, c);
  set_latencies(s.sm, c);
  s.sm.memory = memory_unit_spec(c);
  s.sm.l1 = l1_spec(c);
  s.sm.calls = call_spec(c.calls);
  s.memory = memory_spec(c);
  s.occupancy = occupancy_spec(c);
  s.launch = launch_spec(c);
  // A global atomic's latency is measured as a whole; its way to the L2 and the atomic unit are the memory
  // system's.
  const unsigned beyond = s.memory.crossbar.round_trip + s.memory.l2.atomic_latency;
  for (const Access access : {Access::atomic_global, Access::reduce_global}) {
    AccessSpec& a = s.sm.access[static_cast<std::size_t>(access)];
    a.raw = std::max(s.sm.l1.miss_latency, a.raw - std::min(a.raw, beyond));
    a.raw_uniform = std::max(s.sm.l1.miss_latency, a.raw_uniform - std::min(a.raw_uniform, beyond));
  }
  return s;
}

Machine::Machine(const calib::Calibration& calibration) : Machine(machine_spec(calibration)) {}
Machine::Machine(MachineSpec spec) : spec_(std::make_unique<const MachineSpec>(std::move(spec))) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

KernelReport Machine::run(traces::WarpStream& stream, const RunOptions& options) const {
  NullSink sink;
  return run_kernel(*spec_, stream, options, sink);
}

KernelReport Machine::run(traces::WarpStream& stream, const RunOptions& options,
                          std::vector<IssueEvent>& timeline) const {
  TimelineSink sink;
  KernelReport report = run_kernel(*spec_, stream, options, sink);
  timeline = std::move(sink.events);
  return report;
}

}  // namespace warpgauge::model
