// Every key of a calibration, once: member, type, unit and meaning.
//
// The lists below are the only place that knows the keys. The structs in calibration.h, the loader, the
// writer, the JSON schema, `--set`, the diff and PARAMETERS.md are all made from them. To add a key, add one
// line here and give every file in calib/devices its value.
//
// A row is X(TYPE, UNIT, MEMBER, DOC); MEMBER is the last part of the key. Types: Integer (32 bits), Bytes
// (64 bits), Real, Flag, List (of Bytes), or one of the enumerations in calibration.h. Latencies are in
// cycles of the SM clock unless a row says otherwise. "Load-to-use" is the issue-to-issue distance of two
// dependent loads in a pointer chase.
#pragma once

// clang-format off

#define WARPGAUGE_CHIP_KEYS(X) \
  X(Integer, count, compute_major, "Compute capability, major") \
  X(Integer, count, compute_minor, "Compute capability, minor") \
  X(Integer, count, sm_count, "SMs that a kernel can use") \
  X(Integer, count, gpc_count, "Graphics processing clusters") \
  X(List, count, gpc_sms, "SMs of each cluster; their sum is sm_count") \
  X(List, count, gpc_partitions, "The L2's partition that is near to each cluster, from the first one again where there are more clusters") \
  X(Integer, count, loose_sms, "SMs of the first cluster that no cluster of blocks can have; blocks are dealt to them before the others") \
  X(List, count, loose_turns, "Turns of other clusters between the first two turns of those SMs at a launch's blocks, and between later ones; 0: they have none of their own") \
  X(Integer, count, sms_per_tpc, "SMs that share a texture processing cluster") \
  X(Integer, count, cpcs_per_gpc, "Groups of a cluster's TPCs that take turns before full slices of the L2; 1: there is no such level") \
  X(List, cycles, tpc_distances, "Beyond the nearest TPC of a cluster, the way to what its SMs have in common and back: of each CPC's TPCs from its last one on, CPC by CPC; none: all are alike. Latencies are means over all SMs") \
  X(Integer, count, schedulers_per_sm, "Processing blocks of an SM, each with one warp scheduler") \
  X(Integer, count, max_warps_per_sm, "Resident warps of an SM") \
  X(Integer, count, max_blocks_per_sm, "Resident blocks of an SM") \
  X(Integer, count, max_threads_per_sm, "Resident threads of an SM") \
  X(Integer, count, max_threads_per_block, "Threads of a block") \
  X(Integer, count, max_warps_per_block, "Warps of a block") \
  X(Integer, count, registers_per_sm, "32-bit registers of an SM") \
  X(Integer, count, registers_per_block, "32-bit registers that one block may take") \
  X(Integer, count, register_allocation_unit, "Registers of a warp are allocated in multiples of this") \
  X(Integer, count, warp_allocation_granularity, "A block's warps are rounded up to this for the check against registers_per_block") \
  X(Integer, count, max_registers_per_thread, "Registers that one thread can name") \
  X(List, bytes, shared_carveouts, "Sizes that the shared part of the unified memory can be set to") \
  X(Bytes, bytes, shared_allocation_unit, "A block's shared memory is rounded up to this") \
  X(Bytes, bytes, shared_reserved_per_block, "Shared memory that the system takes of each block") \
  X(Bytes, bytes, max_shared_per_block, "Shared memory of a block without opting in") \
  X(Bytes, bytes, max_shared_per_block_optin, "Shared memory of a block that opts in") \
  X(Bytes, bytes, max_shared_per_sm, "Shared memory of an SM, what is reserved included") \
  X(Integer, count, max_barriers_per_block, "Named barriers of a block") \
  X(Integer, count, max_cluster_blocks, "Blocks of a cluster; 1 where there are none") \
  X(Integer, count, max_grids, "Launches that run at the same time")

#define WARPGAUGE_CLOCK_KEYS(X) \
  X(Real, MHz, sm, "SM clock under sustained load; all cycles count it") \
  X(Real, MHz, sm_max, "Highest SM clock that the device offers") \
  X(Real, MHz, sm_base, "SM clock that the vendor guarantees") \
  X(Real, MHz, sm_matrix, "SM clock of a GPC whose matrix units work") \
  X(Integer, cycles, matrix_hold, "How long a matrix instruction keeps the clock down") \
  X(Real, cycles, matrix_start, "Of the full clock, lost beside that by the first one when that is over") \
  X(Real, cycles, matrix_start_more, "And lost by one long after that") \
  X(Real, cycles, matrix_start_more_time, "So long after it all but 1/e of those are") \
  X(Integer, cycles, matrix_start_time, "In which it loses them") \
  X(Real, MHz, l2, "Clock of crossbar and L2") \
  X(Real, MHz, dram, "Memory clock, as the driver reports it") \
  X(Real, ns, globaltimer_step, "Step of the global timer register")

#define WARPGAUGE_ISSUE_KEYS(X) \
  X(IssuePolicy, choice, policy, "Which eligible warp is picked") \
  X(BlockPriority, choice, block_priority, "Which block's warps go first where several share an SM") \
  X(Integer, count, instruction_buffer_entries, "Decoded instructions held for each warp") \
  X(Integer, cycles, branch_cost, "Issue of a branch that is not taken to issue of the warp's next instruction") \
  X(Integer, cycles, taken_branch_cost, "Issue of a branch that is taken to issue of its target, which is in the L0") \
  X(Integer, cycles, divergent_branch_extra, "Added to a branch's stall count when its lanes part and those that do not take it go first") \
  X(Integer, cycles, reconverge_cost, "Issue of a BSYNC that waits for no lane to issue of the next instruction") \
  X(Integer, cycles, divergence_switch_cost, "From one side reaching BSYNC to the first instruction of the other side") \
  X(Integer, cycles, indirect_branch_extra, "Added for BRX, JMX, RET and CALL through a register, for each of the targets that its lanes have") \
  X(Integer, cycles, indirect_branch_interval, "Cycles of the unit that takes addresses of LDC in turn for each target of BRX, JMX, RET and CALL through a register; 0: it has nothing to do with them") \
  X(Integer, cycles, restored_reconverge_extra, "Added to a BSYNC that lets go on whose barrier comes from a BMOV and not from its BSSY") \
  X(Integer, cycles, break_cost, "Issue of a BREAK that some lane executes to the warp's next instruction") \
  X(Integer, cycles, reconverge_interval, "Cycles between two BSYNC of an SM") \
  X(Integer, cycles, barrier_latency, "BAR.SYNC of a block of one warp to the warp's next instruction") \
  X(Real, cycles, barrier_per_warp, "Cycles that the SM's barrier unit takes for each warp that arrives") \
  X(Integer, cycles, barrier_reduction_extra, "By how much later a BAR.RED opens than a BAR.SYNC") \
  X(Integer, cycles, barrier_register_extra, "By how much later a barrier opens that a register names, to the last warp that comes") \
  X(Integer, cycles, barrier_predicate_extra, "Added to a B2R that writes a predicate") \
  X(Integer, cycles, barrier_min_distance, "Issue of BAR to issue of the warp's next instruction, at least") \
  X(Integer, cycles, collective_cost, "What the end of a collective costs beyond its branch, each time that lanes of the warp come to it") \
  X(Integer, cycles, warp_sync_cost, "WARPSYNC of a converged warp to its next instruction") \
  X(Integer, cycles, warp_sync_mask_cost, "WARPSYNC with its mask in a register, where all lanes name one, to the warp's next instruction") \
  X(Integer, cycles, warp_sync_mask_extra, "Added for each further mask that its lanes name") \
  X(Real, cycles, warp_sync_mask_interval, "Cycles of a processing block between such a WARPSYNC of one mask and another warp's") \
  X(Real, cycles, warp_sync_mask_interval_extra, "Added for each further mask that its lanes name") \
  X(Integer, cycles, warp_sync_exclusive_cost, "WARPSYNC.EXCLUSIVE to the next instruction of the lanes that name one mask, for each mask again") \
  X(Integer, cycles, convergence_move_cost, "BMOV to the warp's next instruction, at least") \
  X(Integer, cycles, yield_instruction_cost, "YIELD, the instruction, to the next one of a warp whose other lanes, if any, wait") \
  X(Integer, count, held_paths, "Paths of a warp whose lanes have parted that it holds, the one that runs among them, 0: all") \
  X(Integer, cycles, path_return_cost, "Added to a branch that parts a warp which holds that many: a path goes away and comes back") \
  X(Integer, cycles, membar_cta, "MEMBAR.CTA with no access in flight") \
  X(Integer, cycles, membar_gpu, "MEMBAR.GPU with no access in flight") \
  X(Integer, cycles, membar_sys, "MEMBAR.SYS with no access in flight") \
  X(Real, cycles, membar_interval, "Cycles between two MEMBARs of an SM") \
  X(Integer, cycles, cga_error_barrier, "CGAERRBAR to the fence, invalidation or access behind it") \
  X(Integer, cycles, drain_hold, "How long an instruction with stall 0 and yield holds its warp") \
  X(Integer, cycles, yield_cost, "Cycles for which the yield flag keeps its warp from issuing, its stall count aside") \
  X(Integer, cycles, yield_wait, "How long a warp with the yield flag stands behind those without, from its issue on, 0: not at all") \
  X(Integer, count, yield_turn, "Instructions with the yield flag that a warp issues before others that have it go first") \
  X(Integer, cycles, long_stall_without_yield, "What a stall count above 11 without yield really stalls") \
  X(Integer, cycles, guard_false_cost, "Issue slots of an instruction whose guard holds for no lane") \
  X(Integer, cycles, constant_miss_switch_delay, "Cycles that the scheduler stays with a warp whose constant operand missed") \
  X(Integer, cycles, dependence_counter_delay, "Issue to the cycle in which the counter's increment is seen") \
  X(Integer, cycles, dependence_release_delay, "Write-back, or read of the sources, to the cycle in which the decrement is seen") \
  X(Integer, cycles, depbar_cost, "DEPBAR whose counter is already there to the warp's next instruction") \
  X(Integer, cycles, exit_cost, "Issue of EXIT to its warp's end, or to the next instruction of lanes that stay") \
  X(Integer, cycles, variable_consumer_extra, "Fixed-latency result to a memory or MUFU consumer, beyond a fixed-latency one") \
  X(Integer, cycles, wide_multiply_extra, "Added to the stall count of IMAD.WIDE and IMAD.HI") \
  X(Integer, cycles, wide_multiply_distance, "Least distance, which the hardware keeps itself, from a fixed-latency instruction to an IMAD.WIDE or IMAD.HI that multiplies its result") \
  X(Integer, cycles, special_function_entry, "Issue of a MUFU, POPC or conversion to the start of its unit's work, the unit being idle") \
  X(Integer, cycles, nanosleep_min, "NANOSLEEP 0 to the warp's next instruction") \
  X(Integer, cycles, nanosleep_wake, "From the tick of the clock of nanoseconds that ends a NANOSLEEP to the warp's next instruction")

#define WARPGAUGE_FRONT_END_KEYS(X) \
  X(Integer, count, fetch_per_cycle, "Instructions fetched and decoded a cycle by a processing block") \
  X(Integer, cycles, decode_stages, "Fetch that hits the L0 to the first cycle in which the instruction can issue") \
  X(Bytes, bytes, l0_bytes, "L0 instruction cache of a processing block") \
  X(Bytes, bytes, l0_line, "Line of the L0") \
  X(Integer, count, l0_ways, "Ways of the L0") \
  X(Integer, count, l0_prefetch_lines, "Lines of a group: what a miss fetches, and what the stream buffer runs ahead; 0: no prefetch") \
  X(Integer, cycles, l0_prefetch_delay, "From the first access to a group of lines to the request for the next one; of l1_latency, which straight code takes for each group, a branch's target is spared it") \
  X(Bytes, bytes, launch_prefetch_bytes, "Code from the first instruction on that a launch brings to the second level") \
  X(Real, cycles, launch_prefetch_interval, "Between two lines of what a launch brings to the second level, from the first code on; 0: all of it is there when a kernel starts") \
  X(Bytes, bytes, l1_bytes, "Second level: L1 instruction cache (L1.5 before Volta)") \
  X(Bytes, bytes, l1_line, "Line of the second level") \
  X(Integer, count, l1_ways, "Ways of the second level") \
  X(Integer, count, l1_sms, "SMs that share one second level") \
  X(Integer, cycles, l1_latency, "L0 miss that hits the second level to the line being in the L0") \
  X(Real, lines_per_cycle, l1_lines_per_cycle, "L0 lines that the second level delivers a cycle to all processing blocks") \
  X(Real, lines_per_cycle, gpc_lines_per_cycle, "Lines that the second level gives all first levels of a cluster together; 0 where each SM has one of its own") \
  X(Flag, flag, l0_shared, "The first level is one for all processing blocks of an SM") \
  X(Integer, count, l0_sms, "SMs whose first level is one, where their processing blocks share it") \
  X(Integer, cycles, l2_latency, "L0 miss that hits the L2 to the line being in the L0") \
  X(Real, lines_per_cycle, l2_lines_per_cycle, "L0 lines that the L2 delivers a cycle to one SM's straight-line code") \
  X(Integer, cycles, memory_latency, "L0 miss that goes to DRAM to the line being in the L0") \
  X(Integer, cycles, branch_line, "Fetch of a processing block that the line behind a taken branch takes") \
  X(Integer, cycles, branch_fill, "From the fetch of that line on, in which other warps' branches find the fetch taken") \
  X(Integer, cycles, branch_turn_wait, "Until a branch that has found the fetch taken asks again; 0: branches do not wait for each other") \
  X(Integer, cycles, branch_next_line, "From the first instruction behind a taken branch to the first of the next line, at least") \
  X(Integer, count, block_lines, "Lines of the L0 that each processing block has of its own before a shared L0; 0: it has none") \
  X(Integer, cycles, block_latency, "How much later a branch's target comes that is in the shared L0 and not among those") \
  X(Integer, cycles, block_next_line, "From a target that has come so to the line behind it, at least") \
  X(Flag, flag, flushed_at_launch, "A kernel finds L0 and second level empty")

#define WARPGAUGE_CONSTANT_KEYS(X) \
  X(Bytes, bytes, l0_bytes, "Cache for c[][] operands of fixed-latency instructions, one a processing block") \
  X(Bytes, bytes, l0_line, "Line of that cache") \
  X(Integer, count, l0_ways, "Ways of that cache") \
  X(Integer, cycles, l0_miss_delay, "Issue delay of a c[][] operand that misses it and hits the next level") \
  X(Bytes, bytes, l1_bytes, "L1 constant cache, which LDC reads") \
  X(Bytes, bytes, l1_line, "Line of the L1 constant cache") \
  X(Integer, count, l1_ways, "Ways of the L1 constant cache") \
  X(Integer, cycles, l1_latency, "Load-to-use of LDC that hits the L1") \
  X(Replacement, choice, l1_replacement, "Victim choice of the L1 constant cache") \
  X(Bytes, bytes, l15_bytes, "L1.5 constant cache") \
  X(Bytes, bytes, l15_line, "Line of the L1.5 constant cache") \
  X(Integer, count, l15_ways, "Ways of the L1.5 constant cache") \
  X(Integer, cycles, l15_latency, "Load-to-use of LDC that hits the L1.5") \
  X(Flag, flag, l15_is_instruction_cache, "The L1.5 is the second level of the instruction caches") \
  X(Integer, cycles, l2_latency, "Load-to-use of LDC that hits the L2") \
  X(Integer, cycles, cycles_per_address, "Added for each distinct address beyond the first in an LDC that hits the L1") \
  X(Integer, cycles, unit_interval, "Cycles between two of the instructions that the SM's constant unit takes from all processing blocks: LDC, MATCH, REDUX, S2UR") \
  X(Flag, flag, unit_takes_barriers, "Whether B2R takes its turns at the SM's constant unit, and arrivals at barriers wait behind the loads in its queues") \
  X(Integer, cycles, address_interval, "Cycles of the SM's constant unit for each distinct address of an LDC") \
  X(Integer, count, loads_in_flight, "LDC and MATCH of a processing block that take their turns, address by address or value by value, at the same time") \
  X(Integer, cycles, l1_miss_interval, "Cycles between two addresses of LDC that miss the L1 constant cache and hit the next level") \
  X(Integer, count, lines_in_flight, "Lines that loads of constants of an SM wait for at the same time; 0: any number") \
  X(Integer, cycles, line_hold, "Cycles that a line which comes from the next level takes one of these places") \
  X(Integer, cycles, line_retry, "Cycles after which a load asks again that has found no place for its line") \
  X(Integer, cycles, return_interval, "Cycles of the SM's constant unit for an address of LDC whose line has come, beside those of its first turn") \
  X(Real, lines_per_cycle, gpc_lines_per_cycle, "Lines of c[][] operands that the next level gives all SMs of a cluster together; 0: as many as are asked for")

#define WARPGAUGE_REGISTER_KEYS(X) \
  X(Integer, count, banks, "Banks of a processing block's registers; a register's bank is its number modulo this") \
  X(Integer, count, read_ports_per_bank, "Distinct registers that a bank serves a cycle") \
  X(Integer, count, write_ports_per_bank, "Registers that a bank takes a cycle") \
  X(Integer, count, reuse_slots, "Operand slots that have a reuse entry") \
  X(Flag, flag, reuse_per_bank, "Each slot has one reuse entry for each bank") \
  X(Flag, flag, reuse_survives_warp_switch, "An entry outlasts another warp's instructions that read other slots or the other bank") \
  X(Integer, cycles, read_window, "Stages behind the allocate stage in which a fixed-latency instruction reads its sources; all stop while the last lacks one") \
  X(Integer, cycles, write_delay, "From the last read stage of a fixed-latency instruction until its result can be read from the file; before, it is had on the way, in the last read stage") \
  X(Integer, cycles, wide_read_window, "The same for matrix instructions of four source registers") \
  X(Integer, cycles, read_again, "Of two results that an instruction would have on the way from one bank, the one that it misses: from when it is in the file until it has been read; 0: it comes a cycle later") \
  X(Integer, cycles, late_write, "By how much HFMA2.MMA and FP64 write their results later than other arithmetic; who would write in that cycle waits") \
  X(Integer, cycles, operand_cycles, "Cycles of its bank's port that each register takes which an instruction of variable latency reads, the first of an address alone aside; 0: none") \
  X(Integer, cycles, operand_first, "Issue of an instruction of variable latency to the first of them, data before addresses") \
  X(Integer, cycles, operand_interval, "From one of them to the next; each takes its bank's port") \
  X(Integer, count, result_queue_entries, "Fixed-latency results that wait for the write port") \
  X(Integer, cycles, load_write_conflict, "Delay of a load result that meets a fixed-latency one in its bank")

#define WARPGAUGE_PIPE_KEYS(X) \
  X(Integer, cycles, issue_interval, "Cycles that one warp instruction occupies the pipe; 0 where the device has no such pipe") \
  X(Integer, count, blocks_sharing, "Processing blocks that share one such pipe: 1 or all of the SM") \
  X(Integer, count, queue_entries, "Instructions that wait between issue and the pipe; 0: the input latch alone")

#define WARPGAUGE_PIPES(PIPE) \
  PIPE(fma_heavy, "FP32 and IMAD") \
  PIPE(fma_lite, "The second FP32 half, without IMAD") \
  PIPE(imad, "Integer multiply-add on the FMA pipe") \
  PIPE(imad_wide, "IMAD.WIDE, 64-bit result") \
  PIPE(alu, "Integer, logic, compare, move, FMNMX") \
  PIPE(fp16, "HADD2, HMUL2, HFMA2") \
  PIPE(fp64, "DADD, DMUL, DFMA, DSETP") \
  PIPE(xu, "MUFU") \
  PIPE(bits, "POPC, FLO, BREV") \
  PIPE(conversion, "F2I, I2F, F2F, FRND of 32 bits and less") \
  PIPE(conversion_wide, "Conversions of a narrower source to 64 bits") \
  PIPE(conversion_narrow, "Conversions of a 64-bit source to a narrower one") \
  PIPE(shuffle, "SHFL") \
  PIPE(vote, "VOTE") \
  PIPE(match, "MATCH") \
  PIPE(redux, "REDUX") \
  PIPE(special_register, "S2R, S2UR") \
  PIPE(clock, "CS2R") \
  PIPE(predicate, "PLOP3, P2R, R2P") \
  PIPE(uniform, "Uniform datapath") \
  PIPE(uniform_move, "R2UR") \
  PIPE(uniform_load, "ULDC") \
  PIPE(branch, "Control: BRA, BSSY, BSYNC, CALL, RET, EXIT, WARPSYNC") \
  PIPE(matrix_half, "HMMA; the shape's interval is in matrix.*") \
  PIPE(matrix_int, "IMMA and BMMA; the shape's interval is in matrix.*") \
  PIPE(matrix_double, "DMMA; the shape's interval is in matrix.*") \
  PIPE(texture, "TEX, TLD, TLD4")

#define WARPGAUGE_MATRIX_KEYS(X) \
  X(Integer, cycles, latency, "Issue to issue of a consumer of the result; 0 where the device has no such shape") \
  X(Integer, cycles, accumulate_latency, "Issue to issue of the next instruction that takes the result as its accumulator") \
  X(Integer, cycles, issue_interval, "Cycles that one warp instruction occupies the pipe")

#define WARPGAUGE_MATRICES(SHAPE) \
  SHAPE(hmma_884_f16, "HMMA.884.F16: one step") \
  SHAPE(hmma_884_f32, "HMMA.884.F32: one step") \
  SHAPE(hmma_1688_f16, "HMMA.1688.F16") \
  SHAPE(hmma_1688_f32, "HMMA.1688.F32, BF16 too") \
  SHAPE(hmma_16816_f16, "HMMA.16816.F16") \
  SHAPE(hmma_16816_f32, "HMMA.16816.F32, BF16 too") \
  SHAPE(hmma_1684_tf32, "HMMA.1684.F32.TF32") \
  SHAPE(hmma_1688_tf32, "HMMA.1688.F32.TF32") \
  SHAPE(imma_8816, "IMMA.8816.S8 and U8") \
  SHAPE(imma_16816, "IMMA.16816.S8 and U8") \
  SHAPE(imma_16832, "IMMA.16832.S8 and U8") \
  SHAPE(imma_8832, "IMMA.8832.S4 and U4") \
  SHAPE(imma_16864, "IMMA.16864.S4 and U4") \
  SHAPE(hmma_sp_16816_f16, "HMMA.SP.16816.F16") \
  SHAPE(hmma_sp_16816_f32, "HMMA.SP.16816.F32, BF16 too") \
  SHAPE(hmma_sp_16832_f16, "HMMA.SP.16832.F16") \
  SHAPE(hmma_sp_16832_f32, "HMMA.SP.16832.F32, BF16 too") \
  SHAPE(hmma_sp_1688_tf32, "HMMA.SP.1688.F32.TF32") \
  SHAPE(hmma_sp_16816_tf32, "HMMA.SP.16816.F32.TF32") \
  SHAPE(imma_sp_16832, "IMMA.SP.16832.S8 and U8, IMMA.SP.16864.S4 and U4") \
  SHAPE(imma_sp_16864, "IMMA.SP.16864.S8 and U8, IMMA.SP.168128.S4 and U4") \
  SHAPE(bmma_88128, "BMMA.88128, one-bit operands") \
  SHAPE(dmma_884, "DMMA.884") \
  SHAPE(movm, "MOVM, the transpose of a fragment")

#define WARPGAUGE_GMMA_KEYS(X) \
  X(Real, cycles, cycles_per_column, "HGMMA m64nNk16: cycles that one instruction occupies the four tensor cores, divided by N; 0 where there is none") \
  X(Integer, cycles, min_cycles, "The least that one HGMMA occupies them, its columns aside: operand A from shared memory") \
  X(Real, cycles, min_cycles_per_column, "The same of each column: operand B from shared memory") \
  X(Integer, cycles, latency, "WARPGROUP.ARRIVE, one HGMMA and the end of WARPGROUP.DEPBAR, its columns aside") \
  X(Integer, cycles, register_min_cycles, "The least that one occupies them where operand A comes from registers") \
  X(Integer, cycles, register_sooner, "By how much its results come sooner then") \
  X(Integer, cycles, arrive_distance, "WARPGROUP.ARRIVE to HGMMA") \
  X(Integer, count, queue_entries, "HGMMAs of a processing block that may have yet to begin when another issues, whatever warp they are of; 0: any number") \
  X(Integer, cycles, queue_delay, "From when one of these begins to when another may issue in its place") \
  X(Integer, cycles, write_period, "While an HGMMA has the processing block's tensor core, instructions of fixed latency that write registers issue in the first of every so many cycles; 0: in all") \
  X(Integer, cycles, write_window, "How many of these that are, all of them one warp's") \
  X(Integer, cycles, pipe_delay, "More for which an instruction keeps the special function unit then") \
  X(Real, cycles, xu_delay, "More for which that is kept then, for each instruction of another pipe that writes registers and issues meanwhile") \
  X(Real, cycles, shared_latency, "By how much a load of shared memory comes later where HGMMAs have half of the data array; as they have more of it, as many times what they have of what they leave")

// Producer to consumer, issue to issue: the least stall count with which the consumer sees the result.
#define WARPGAUGE_DISTANCE_KEYS(X) \
  X(Integer, cycles, to_alu, "Consumer on the ALU pipe") \
  X(Integer, cycles, to_fma, "Consumer on the FMA pipe") \
  X(Integer, cycles, to_fp16, "Consumer on the FP16 pipe") \
  X(Integer, cycles, to_fp64, "Consumer on the FP64 pipe") \
  X(Integer, cycles, to_decoupled, "Consumer that is queued: MUFU, conversions, loads and stores")

#define WARPGAUGE_PRODUCERS(PRODUCER) \
  PRODUCER(alu, "ALU pipe") \
  PRODUCER(fma, "FMA pipe") \
  PRODUCER(imad_wide_low, "IMAD.WIDE, low word") \
  PRODUCER(imad_wide_high, "IMAD.WIDE, high word") \
  PRODUCER(fp16, "FP16 pipe") \
  PRODUCER(fp64, "FP64 pipe") \
  PRODUCER(clock, "CS2R")

#define WARPGAUGE_PREDICATE_KEYS(X) \
  X(Integer, cycles, to_alu_operand, "ISETP or FSETP to a predicate operand of an ALU instruction") \
  X(Integer, cycles, to_fma_operand, "The same, of an instruction on the FMA pipe") \
  X(Integer, cycles, to_guard, "ISETP or FSETP to a guard, a branch, SEL of a queued instruction or VOTE") \
  X(Integer, cycles, fp16_to_guard, "HSETP2 to a guard") \
  X(Integer, cycles, fp64_to_guard, "DSETP to a guard")

#define WARPGAUGE_UNIFORM_KEYS(X) \
  X(Flag, flag, present, "The device has a uniform datapath") \
  X(Integer, cycles, to_uniform, "Uniform instruction to uniform instruction") \
  X(Integer, cycles, to_vector, "Uniform instruction to a vector instruction that reads the uniform register") \
  X(Integer, cycles, to_memory, "Uniform instruction to a load or store that reads the uniform register") \
  X(Integer, cycles, to_constant, "Uniform instruction to ULDC or a bindless constant operand") \
  X(Integer, cycles, to_move, "Uniform instruction to UMOV") \
  X(Integer, cycles, load, "ULDC, UMOV or VOTEU to any instruction") \
  X(Integer, cycles, load_to_constant, "The same, to ULDC or a bindless constant operand") \
  X(Integer, cycles, from_vector, "R2UR to any instruction") \
  X(Integer, cycles, from_vector_to_constant, "R2UR to ULDC or a bindless constant operand") \
  X(Flag, flag, from_vector_fixed, "R2UR has a fixed latency; else a dependence counter tracks it") \
  X(Integer, cycles, predicate_to_guard, "UISETP to a uniform guard") \
  X(Integer, cycles, predicate_to_branch, "UISETP to a branch")

// Dependent-issue latency by mnemonic ('_' for the '.' of IMAD.WIDE). 0: the architecture has no such instruction.
// Matrix instructions are in matrix.*, memory instructions in lsu.*.
#define WARPGAUGE_LATENCY_OPCODES(OP) \
  OP(FADD) OP(FMUL) OP(FFMA) OP(FMNMX) OP(FSEL) OP(FSET) OP(FSETP) OP(FSWZADD) OP(FCHK) OP(MUFU) \
  OP(DADD) OP(DMUL) OP(DFMA) OP(DSETP) \
  OP(HADD2) OP(HMUL2) OP(HFMA2) OP(HSET2) OP(HSETP2) OP(HMNMX2) \
  OP(IADD3) OP(IMAD) OP(IMAD_WIDE) OP(IMAD_HI) OP(IDP) OP(LEA) OP(LOP3) OP(SHF) OP(PRMT) OP(ISETP) OP(IMNMX) \
  OP(IABS) OP(VABSDIFF) OP(VABSDIFF4) OP(VIADD) OP(VIMNMX) OP(SEL) OP(FLO) OP(POPC) OP(BREV) OP(BMSK) OP(SGXT) \
  OP(MOV) OP(I2I) OP(I2IP) OP(F2F) OP(F2I) OP(I2F) OP(I2FP) OP(F2FP) OP(FRND) \
  OP(PLOP3) OP(P2R) OP(R2P) OP(VOTE) OP(MATCH) OP(SHFL) OP(REDUX) OP(S2R) OP(S2UR) OP(CS2R) OP(R2UR) \
  OP(UMOV) OP(UIADD3) OP(UIMAD) OP(ULOP3) OP(ULEA) OP(USHF) OP(USEL) OP(UISETP) OP(UPLOP3) OP(UPRMT) OP(UFLO) \
  OP(UBREV) OP(UPOPC) OP(USGXT) OP(UBMSK) OP(ULDC) OP(VOTEU) \
  OP(B2R) OP(BMOV) OP(LEPC) OP(QSPC) OP(GETLMEMBASE)

#define WARPGAUGE_LSU_KEYS(X) \
  X(Integer, count, queue_entries, "Memory instructions that a processing block holds beyond the one in the latch") \
  X(Integer, cycles, address_interval, "Cycles that a processing block's address unit takes for one instruction") \
  X(Integer, cycles, address_interval_uniform, "The same with a uniform address") \
  X(Integer, cycles, address_interval_shared_load, "The same for LDS and LDSM") \
  X(Integer, cycles, address_interval_store_global, "The same for a store to global memory, or by generic address to shared memory") \
  X(Integer, cycles, address_interval_atomic_generic, "The same for an atomic or reduction by generic address to shared memory") \
  X(Integer, cycles, store_global_interval, "Cycles of the SM's memory unit that a store to global memory takes, or a store or atomic by generic address to shared memory") \
  X(Integer, cycles, store_hold, "A store waits so long for others to the same line, which join it: cycles in which nothing takes the data array") \
  X(Real, cycles, store_hold_line, "The same longer for each line beyond the first that the store has") \
  X(Integer, count, stored_lines, "Lines that an SM has stored and other stores can still join, 0: none") \
  X(Integer, count, stored_narrow_lines, "The same of stores of less than a word a lane") \
  X(Integer, count, stored_open_rows, "Rows of those lines, one of each bank of the tags, that still take lines of banks which they have not") \
  X(Integer, count, leaving_lines, "Lines behind those, in the order in which they were stored, which are leaving at most") \
  X(Integer, cycles, leaving_cycles, "Cycles of the same kind that a stored line takes to leave: a store to it takes it from the L1") \
  X(Real, cycles, leaving_interval, "The same more for each line of the store that is before it") \
  X(Integer, count, stores_in_line, "Lines of stores before an SM's way to the L2 that have left its hold: what waits behind them can be joined for as long as they stand there") \
  X(Integer, count, waiting_stores, "Lines of stores that can wait for an SM's way to the L2; behind more, loads and stores wait as well") \
  X(Integer, count, outgoing_lines, "Lines of stores and messages of atomics that can wait for an SM's way to the L2 while others are read from the L1's data or written; behind more, those wait") \
  X(Integer, count, lines_of_a_bank, "Lines of a store in one of the banks of the L1's tags with which that is so") \
  X(Integer, count, crowded_lines, "So many lines fewer can wait for each line beyond these") \
  X(Integer, cycles, fence_turn, "From a fence of the GPU to its turn behind the accesses that wait by then") \
  X(Integer, cycles, match_value_latency, "Added for each value beyond the first that the lanes of a MATCH.ANY hold") \
  X(Integer, cycles, match_value_interval, "Cycles of the SM's unit for each of those values") \
  X(Integer, cycles, shared_unit_interval, "Cycles between instructions that the SM's memory unit takes from all processing blocks") \
  X(Integer, count, data_queue_entries, "Accesses that wait between the SM's memory unit and the L1's tags or the data array") \
  X(Real, bytes_per_cycle, result_bytes_per_cycle, "Loaded data to the registers of a processing block") \
  X(Real, bytes_per_cycle, shared_result_bytes_per_cycle, "The same for loads from shared memory") \
  X(Real, bytes_per_cycle, store_bytes_per_cycle, "Store data from the registers of a processing block") \
  X(Integer, count, units_per_sm, "Load/store lanes of an SM, as the vendor counts them") \
  X(Integer, count, loads_in_flight_per_sm, "Load instructions of an SM that can wait for data")

// war: issue to the cycle in which the sources may be overwritten. raw: issue to issue of a consumer, in the L1 or
// shared memory, without conflicts; 0 for what returns nothing or does not exist.
#define WARPGAUGE_ACCESS_KEYS(X) \
  X(Integer, cycles, war, "Issue to the release of the source registers, address in a vector register") \
  X(Integer, cycles, raw, "Issue to issue of a consumer, address in a vector register") \
  X(Integer, cycles, war_uniform, "Like war, with a uniform or immediate address") \
  X(Integer, cycles, raw_uniform, "Like raw, with a uniform or immediate address")

#define WARPGAUGE_ACCESSES(ACCESS) \
  ACCESS(load_global_32, "LDG of 32 bits and less") \
  ACCESS(load_global_64, "LDG.64") \
  ACCESS(load_global_128, "LDG.128") \
  ACCESS(store_global_32, "STG of 32 bits and less") \
  ACCESS(store_global_64, "STG.64") \
  ACCESS(store_global_128, "STG.128") \
  ACCESS(load_shared_32, "LDS of 32 bits and less") \
  ACCESS(load_shared_64, "LDS.64") \
  ACCESS(load_shared_128, "LDS.128") \
  ACCESS(store_shared_32, "STS of 32 bits and less") \
  ACCESS(store_shared_64, "STS.64") \
  ACCESS(store_shared_128, "STS.128") \
  ACCESS(load_generic_32, "LD of 32 bits and less") \
  ACCESS(load_local_32, "LDL of 32 bits and less") \
  ACCESS(store_local_32, "STL of 32 bits and less") \
  ACCESS(load_constant_32, "LDC of 32 bits and less") \
  ACCESS(load_constant_64, "LDC.64") \
  ACCESS(copy_32, "LDGSTS of 32 bits") \
  ACCESS(copy_64, "LDGSTS.64") \
  ACCESS(copy_128, "LDGSTS.128") \
  ACCESS(load_matrix_1, "LDSM of one matrix") \
  ACCESS(load_matrix_2, "LDSM of two matrices") \
  ACCESS(load_matrix_4, "LDSM of four matrices") \
  ACCESS(store_matrix_4, "STSM of four matrices") \
  ACCESS(atomic_shared, "ATOMS, one address a lane") \
  ACCESS(atomic_global, "ATOMG, one address a lane, in the L2") \
  ACCESS(reduce_global, "RED") \
  ACCESS(texture, "TEX that hits")

#define WARPGAUGE_SHARED_KEYS(X) \
  X(Integer, count, banks, "Banks") \
  X(Bytes, bytes, bank_bytes, "Width of a bank") \
  X(Integer, cycles, latency, "Load-to-use of a 32-bit load without conflict") \
  X(Real, bytes_per_cycle, bytes_per_cycle, "Bytes of an SM's shared memory a cycle") \
  X(Integer, cycles, conflict_pass_cost, "Cycles of the data stage that one more pass takes") \
  X(Integer, cycles, conflict_pass_latency, "Cycles by which one more pass delays the result") \
  X(Integer, count, passes_64, "Passes of a 64-bit access of a whole warp without conflict") \
  X(Integer, count, passes_128, "Passes of a 128-bit access of a whole warp without conflict") \
  X(Flag, flag, wide_loads_merge, "Wide loads whose lanes share words in aligned groups take fewer passes") \
  X(Flag, flag, bank_conflicts, "Lanes of a warp on different words of one bank take turns") \
  X(Flag, flag, one_data_stage_with_l1, "Passes of shared memory and of L1 data take turns")

#define WARPGAUGE_ATOMICS_KEYS(X) \
  X(List, count, contention, "Lanes of a warp that address one word, for the two lists of latencies") \
  X(List, cycles, shared_latency, "ATOMS.ADD by contention: it and a load of the word, less the load alone") \
  X(List, cycles, global_latency, "ATOMG.ADD by contention: it and a load of the word, less the load alone") \
  X(Real, operations_per_cycle, shared_rate, "Lanes of ATOMS a cycle of an SM, no two on one word") \
  X(Real, cycles, shared_same_word_interval, "Cycles of each further lane on one word of shared memory") \
  X(Real, operations_per_cycle, global_one_address, "Additions a cycle, whole chip: all threads on one word (Jia2018 figure 4.1, scenario 3)") \
  X(Real, operations_per_cycle, global_line_per_warp, "Additions a cycle, whole chip: the lanes of every warp on the words of one and the same line") \
  X(Real, operations_per_cycle, global_line_per_block, "Additions a cycle, whole chip: each block its word (Jia2018 figure 4.1, scenario 4)") \
  X(Real, operations_per_cycle, global_spread, "Additions a cycle, whole chip: each lane its word, neighbours in a line") \
  X(Real, operations_per_cycle, slice_same_word, "Lane operations a cycle of one L2 slice on one word, at the L2 clock") \
  X(Real, operations_per_cycle, slice_same_word_float, "The same of floating-point additions") \
  X(Real, operations_per_cycle, slice_same_line, "Lane operations a cycle of one L2 slice on the words of one line, at the L2 clock") \
  X(Real, cycles, slice_answer, "L2 cycles for which the result of each turn of an atomic takes the slice that its SM has asked") \
  X(Real, cycles, slice_answer_word, "And for each of its lanes")

#define WARPGAUGE_L1_KEYS(X) \
  X(Bytes, bytes, size, "Unified memory of an SM: L1 data and shared") \
  X(Bytes, bytes, line, "Line") \
  X(Bytes, bytes, sector, "Sector, which is what a load fetches") \
  X(Integer, count, sets, "Sets; where there are no tag_ways, the ways follow from what shared memory leaves") \
  X(List, count, set_masks, "Of each bit of a set's number: the bits of the line's whose parity it is, where there are tag_ways; none: not known") \
  X(Integer, count, tag_ways, "Lines of one set for which there are tags, whatever the data has room for; 0: for as many as that") \
  X(Integer, count, new_line_age, "Hits of its set that a new line's last one counts as ago, where there are tag_ways; 0: the least recently used makes way") \
  X(Integer, count, evicted_at_once, "Lines that make way together when the data is full, each the oldest of its set, the sets in turn, where there are tag_ways") \
  X(Bytes, bytes, max_data_bytes, "Most that the data cache takes of the unified memory") \
  X(List, bytes, detected_sizes, "Data cache that a pointer chase finds for each carve-out of chip.shared_carveouts") \
  X(Integer, cycles, hit_latency, "Load-to-use of an LDG that hits, in a pointer chase") \
  X(Integer, cycles, miss_latency, "LDG to its request leaving the SM") \
  X(Integer, count, tag_lines_per_cycle, "Distinct lines that the tags look up a cycle, each in a bank of its own") \
  X(List, count, tag_bank_masks, "Of each bit of such a bank's number: the bits of the line's whose parity it is; none: the line's number modulo the banks") \
  X(Integer, count, data_queue_entries, "Accesses that wait between the tags and the data array") \
  X(Real, bytes_per_cycle, bytes_per_cycle, "Data of hits a cycle of an SM") \
  X(Real, bytes_per_cycle, measured_bytes_per_cycle, "The most that a stream of hits reaches") \
  X(Integer, count, banks, "Banks of the data array for strided loads") \
  X(Bytes, bytes, bank_bytes, "Width of such a bank") \
  X(Integer, count, misses_in_flight, "Lines that can be under way") \
  X(Integer, count, sectors_in_flight, "Sectors that can be under way") \
  X(Integer, count, merges_per_miss, "Loads that can wait for one line") \
  X(Integer, cycles, fill_interval, "Cycles that a sector's fill takes of the data stage") \
  X(Integer, cycles, atomic_return_interval, "Cycles of the way back to the registers for each pass of an atomic's results over the banks, where it returns a word of each line") \
  X(Real, cycles, atomic_return_interval_words, "The same where it returns several of a line") \
  X(Real, cycles, atomic_return_interval_turn, "Cycles of that way for each lane that shares a word with one before it") \
  X(Replacement, choice, replacement, "Victim choice") \
  X(WritePolicy, choice, write_policy, "What a store does") \
  X(Flag, flag, stores_allocate, "A store that misses takes a place in the L1; loads find the words that it wrote") \
  X(Flag, flag, virtually_indexed, "Indexed by virtual address") \
  X(Real, bytes_per_cycle, store_bytes_per_cycle, "Store data that an SM sends out a cycle") \
  X(Integer, cycles, texture_hit_latency, "Load-to-use of a texture fetch that hits") \
  X(Integer, cycles, texture_miss_latency, "Load-to-use of a texture fetch that goes to DRAM")

#define WARPGAUGE_TEXTURE_KEYS(X) \
  X(Integer, cycles, filter_extra, "What a fetch through the filter takes longer than one of texels by number, whose latency is l1.texture_hit_latency") \
  X(Integer, cycles, linear_extra, "What one that weights texels takes longer than one of the nearest") \
  X(Integer, cycles, surface_extra, "What a load of a surface takes longer than a fetch of texels by number") \
  X(Integer, cycles, header_latency, "What an SM's first access to a texture or surface waits for its header from memory") \
  X(Integer, cycles, request_interval, "By how much each further request of an instruction, four or eight lanes, delays its result")

#define WARPGAUGE_TLB_KEYS(X) \
  X(Bytes, bytes, coverage, "Memory that the level maps; 0 where there is no such level") \
  X(Bytes, bytes, page, "Memory that one entry maps") \
  X(Integer, count, ways, "Ways; 0: fully associative") \
  X(Integer, cycles, miss_extra, "Added to the latency of an access that misses this level and hits the next") \
  X(Integer, count, misses_in_flight, "Translations that can be under way")

#define WARPGAUGE_TLBS(TLB) \
  TLB(l1, "First level") \
  TLB(l2, "Second level") \
  TLB(l3, "Third level")

#define WARPGAUGE_INTERCONNECT_KEYS(X) \
  X(Integer, cycles, request_latency, "A request from SM to L2 slice, without load") \
  X(Integer, cycles, reply_latency, "A reply from L2 slice to SM, without load") \
  X(Real, bytes_per_cycle, sm_request_bytes_per_cycle, "Requests and store data that leave an SM") \
  X(Real, bytes_per_cycle, sm_reply_bytes_per_cycle, "Replies that reach an SM") \
  X(Real, bytes_per_cycle, tpc_reply_bytes_per_cycle, "Replies that reach the SMs of a TPC together") \
  X(Real, bytes_per_cycle, gpc_request_bytes_per_cycle, "Requests and store data that leave a cluster's SMs together") \
  X(Real, bytes_per_cycle, gpc_reply_bytes_per_cycle, "Replies that reach a cluster's SMs together") \
  X(Bytes, bytes, request_header, "Bytes of a request without data") \
  X(Integer, count, join_most, "Loads of a cluster's SMs for one line that reach the L2 as one request; 0: they do not") \
  X(Integer, cycles, join_window, "Cycles for which they still do when the first one's data has left the L2, and then get it as early, of the lines of which it is least") \
  X(Integer, cycles, join_window_most, "The same of the lines of which it is most") \
  X(Integer, count, join_alike, "Of a line that several parts are asked for at the same time, loads of the same part, one behind the other, that reach the L2 by themselves before others join them") \
  X(Integer, count, joined_pieces, "Requests of a line that a copy asks for in pieces, as shared memory has its sectors apart, up to which its loads are joined") \
  X(Integer, count, joined_per_lookup, "SMs that such a request answers in the time of a slice's lookup; of loads that ask the whole system it answers one") \
  X(Integer, count, sm_waiting_messages, "Messages of an SM that can wait before full slices of the L2 without holding up what follows") \
  X(Real, cycles, slice_spread, "Between the latencies of the nearest and the farthest of a partition's slices from an SM") \
  X(Real, cycles, slice_far_extra, "How much farther than others a line is whose home is the other partition, though it is at hand") \
  X(Real, cycles, slice_mean_extra, "What l2.hit_latency lacks of the mean over all slices") \
  X(Real, bytes_per_cycle, cpc_way_bytes_per_cycle, "Of each way by which the SMs of a CPC send stores and atomics to the L2; 0: no such limit") \
  X(Integer, count, cpc_ways, "Those ways of a CPC") \
  X(Integer, count, cpc_ways_of_stretch, "Of them, the ways to the lines of one stretch of addresses") \
  X(Bytes, bytes, cpc_way_stretch, "Of such a stretch")

#define WARPGAUGE_L2_KEYS(X) \
  X(Bytes, bytes, size, "All slices") \
  X(Integer, count, slices, "Slices") \
  X(Integer, count, partitions, "Halves of the chip, each with its slices") \
  X(Integer, count, ways, "Ways") \
  X(Bytes, bytes, line, "Line") \
  X(Bytes, bytes, sector, "Sector") \
  X(Bytes, bytes, effective_size, "What one SM visits when its latency is half way from a hit to what lies beyond") \
  X(Integer, cycles, hit_latency, "Load-to-use of an LDG that misses L1 and hits the near partition") \
  X(Integer, cycles, far_extra, "Added when the line's home is the far partition") \
  X(Integer, cycles, store_take_back_extra, "Added to the acknowledgement of a store from near its line's home that takes the line back from the other partition") \
  X(Integer, cycles, own_latency, "Of the latency of a hit, what does not follow the SM clock") \
  X(Real, count, fence_sectors, "Sectors that a fence counts at each of the slices near its SM that this has asked since the last one") \
  X(Real, count, fence_far_sectors, "The same for each of the far ones") \
  X(Real, bytes_per_cycle, link_bytes_per_cycle, "That passes from one partition to the other a cycle, a message of a sector each, at the L2 clock; 0: no such way") \
  X(Bytes, bytes, partition_interleave, "Consecutive bytes whose home is one partition") \
  X(Bytes, bytes, slice_interleave, "Bytes of one slice before the next two have their turn") \
  X(Bytes, bytes, interleave_piece, "Consecutive bytes in one slice and channel; two of them take turns until each has its interleave") \
  X(Real, bytes_per_cycle, slice_bytes_per_cycle, "Data of a slice a cycle, at the L2 clock") \
  X(Real, bytes_per_cycle, slice_write_bytes_per_cycle, "Data that stores bring to a slice a cycle, at the L2 clock") \
  X(Real, cycles, slice_partial_write_extra, "L2 cycles that a store request takes more if it covers a sector in part") \
  X(Integer, cycles, slice_store_again_within, "L2 cycles after a store to a line in which another takes slice_store_again of the slice; 0: no longer than others") \
  X(Real, cycles, slice_store_again, "L2 cycles that such a store takes at least") \
  X(Real, cycles, slice_load_behind_store, "L2 cycles that a load takes as long after words were stored to its line") \
  X(Real, cycles, slice_request_interval, "L2 cycles of a slice between two requests, at least") \
  X(Real, cycles, slice_far_store_extra, "L2 cycles that a slice is longer taken by a store from the other partition to a part of a line that it has not, and by one that begins a sector in part") \
  X(Integer, count, slice_reads_past_miss, "Reads of the other partition's lines that must come to a slice behind one for which it asks that, before those that find a copy need not wait for the answer; 0: none wait") \
  X(Bytes, bytes, request_bytes, "What a load takes of the way into a slice, whose width is slice_write_bytes_per_cycle") \
  X(Integer, count, slice_places, "Messages of a sector that can wait before a slice; 0: any number") \
  X(Real, GB_per_s, read_bandwidth, "Load throughput of all SMs on a set that fits") \
  X(Real, bytes_per_cycle, sm_read_bytes_per_cycle, "Load throughput of one SM alone on a set that fits") \
  X(Integer, count, misses_in_flight, "Sectors of one slice that can wait for DRAM") \
  X(Replacement, choice, replacement, "Victim choice") \
  X(WritePolicy, choice, write_policy, "What a store does") \
  X(Real, percent, written_share, "Lines of a slice that may be written and not yet in memory; 100: all") \
  X(Real, percent, written_in_part_share, "Lines of a slice that may have sectors that are written in part, the rest of which is in memory; 100: all") \
  X(Flag, flag, physically_indexed, "Indexed by physical address") \
  X(Integer, cycles, atomic_latency, "Added to a hit by the atomic unit") \
  X(Integer, cycles, atomic_far_extra, "Added to an atomic whose line has its home in the far partition") \
  X(Bytes, bytes, prefetch_bytes, "Granule that a missing load brings in by default")

#define WARPGAUGE_DRAM_KEYS(X) \
  X(Bytes, bytes, size, "Memory of the device") \
  X(Real, GB_per_s, peak_bandwidth, "Theoretical bandwidth") \
  X(Real, GB_per_s, measured_bandwidth, "The best that a stream reaches, as published or measured") \
  X(Integer, count, channels, "Independent channels") \
  X(Integer, count, slice_channels, "Channels behind each slice of the L2, whose lines they hold; 0: lines are dealt out to all channels") \
  X(Integer, count, banks_per_channel, "Banks of a channel") \
  X(Bytes, bytes, access_bytes, "What one access transfers") \
  X(Bytes, bytes, channel_interleave, "Bytes of one channel before the next two have their turn") \
  X(Bytes, bytes, row_bytes, "Row of a bank") \
  X(Bytes, bytes, row_piece, "What lies side by side of a row: each such piece costs its channel as much as a row") \
  X(Integer, cycles, latency, "Load-to-use of an LDG that misses the L2 and hits the TLB") \
  X(Integer, cycles, code_extra, "Added for code and constants") \
  X(Integer, cycles, row_miss_extra, "Added when the row is not open") \
  X(Real, ns, row_cycle, "Between two rows that one bank opens; 0: rows cost nothing") \
  X(Real, ns, row_interval, "Between two pieces of rows that a channel begins") \
  X(Real, ns, row_read_least, "What a read takes of its channel at least if it begins a piece of a row") \
  X(Real, ns, row_write_least, "The same of a write") \
  X(Integer, count, written_pieces, "Pieces of rows that a channel has written of late, of which it writes more at once") \
  X(Real, ns, refresh_interval, "Between two refreshes of a bank; 0: none") \
  X(Real, ns, refresh_time, "What a refresh takes; an access to the bank waits for its end") \
  X(Bytes, bytes, refresh_block, "Consecutive bytes that lie in one bank, the same of every channel, and so are refreshed together") \
  X(List, ns, refresh_offsets, "By how much the refreshes of each stack of channels come later than the first one's") \
  X(Integer, cycles, turnaround, "Cycles of a channel lost between reads and writes") \
  X(Real, percent, read_efficiency, "Share of the peak that reads reach") \
  X(Real, percent, write_efficiency, "Share of the peak that writes reach") \
  X(Real, percent, mixed_efficiency, "Share of the peak that one read for one write reaches") \
  X(Real, percent, read_mix_efficiency, "Share of the peak that seven reads for a write reach") \
  X(Real, percent, write_mix_efficiency, "Share of the peak that a read for seven writes reaches") \
  X(Integer, cycles, mixed_wait, "What a read waits for writes on a channel that half reads and half writes fill, beside the queue") \
  X(Integer, cycles, write_wait, "The same on a channel that writes alone fill") \
  X(Integer, cycles, queue, "Cycles of transfers that a write may find before its channel; 0: any number") \
  X(Integer, count, late_lines, "Lines that a channel can put off writing until it has nothing else to do, of those that were written in part")

#define WARPGAUGE_BUS_KEYS(X) \
  X(Real, ns, latency, "Load-to-use of an LDG that misses the L1 and whose line lies in the host's memory; the L2 keeps none of it. 0: such memory is as the device's") \
  X(Real, ns, latency_growth, "More for each time that the reads under way become e times as many") \
  X(Real, GB_per_s, read_bandwidth, "What loads of whole lines bring") \
  X(Real, ns, read_interval, "Between two reads of lines, however little of them is wanted") \
  X(Real, GB_per_s, write_bandwidth, "What stores of whole sectors take away") \
  X(Real, ns, partial_write, "What a sector that is written in part takes of the bus") \
  X(Real, ns, write_latency, "From the end of a store on the bus until the end of its launch need not wait for it") \
  X(Bytes, bytes, write_buffer, "Stores that the L2 takes before the bus has them; what comes then waits") \
  X(Real, percent, writes_before_reads, "Of the time of writes, what reads beside them lose") \
  X(Real, ns, atomic, "Between two atomics of one word: each goes to the host and back") \
  X(Real, ns, atomic_interval, "Between two others")

#define WARPGAUGE_CALL_KEYS(X) \
  X(Integer, cycles, print, "A warp's own time in a printf of one lane with an empty format and all arguments, which waits twice for an atomic in the host's memory beside it. 0: printf, malloc and free take no time") \
  X(Integer, cycles, print_before_stores, "Of that time, what passes before it stores to the host's memory") \
  X(Integer, cycles, print_first, "More for an SM's first printf in a launch, whose code is in no cache") \
  X(Integer, cycles, print_lane, "More for each further lane") \
  X(Integer, cycles, print_passed_lane, "More for each lane below the highest of them that does not print") \
  X(Integer, cycles, print_character, "More for each character of the format") \
  X(Integer, cycles, print_string_character, "More for each character of a string among the arguments") \
  X(Integer, cycles, print_empty_argument, "More for each argument less than print_arguments") \
  X(Integer, count, print_arguments, "Arguments that a printf has room for") \
  X(Integer, count, print_empty_argument_stores, "Sectors of the host's memory that a lane writes in part for each argument less than print_arguments") \
  X(Integer, count, print_instructions, "Instructions of such a printf") \
  X(Integer, count, print_lane_instructions, "More for each further lane") \
  X(Integer, count, print_passed_lane_instructions, "More for each lane below the highest of them that does not print") \
  X(Integer, count, print_character_instructions, "More for each character of the format") \
  X(Integer, count, print_string_character_instructions, "More for each character of a string among the arguments") \
  X(Integer, count, print_empty_argument_instructions, "More for each argument less than print_arguments") \
  X(Integer, cycles, allocate, "A warp's own time in a malloc of one lane") \
  X(Integer, cycles, allocate_first, "More for an SM's first one in a launch") \
  X(Integer, cycles, allocate_lane, "More for each further lane") \
  X(Integer, cycles, allocate_interval, "Between two calls of the chip, of one lane") \
  X(Integer, cycles, allocate_lane_interval, "More for each further lane") \
  X(Integer, count, allocate_instructions, "Instructions of such a malloc") \
  X(Integer, count, allocate_lane_instructions, "More for each further lane") \
  X(Integer, cycles, release, "A warp's own time in a free of one lane") \
  X(Integer, cycles, release_first, "More for an SM's first one in a launch") \
  X(Integer, cycles, release_lane, "More for each further lane") \
  X(Integer, cycles, release_interval, "Between two calls of the chip, of one lane") \
  X(Integer, cycles, release_lane_interval, "More for each further lane") \
  X(Integer, count, release_instructions, "Instructions of such a free") \
  X(Integer, count, release_lane_instructions, "More for each further lane")

#define WARPGAUGE_LAUNCH_KEYS(X) \
  X(Integer, count, l2_read_sectors, "Sectors that a launch itself reads through the L2, code and constants of the kernel aside") \
  X(Integer, count, l2_hit_sectors, "Hits of the L2 that the counters have beyond a launch's sectors") \
  X(Integer, count, l2_barrier_sectors, "Memory barriers of a launch at each L2 slice, which are counted as sectors") \
  X(Integer, count, l2_sm_barrier_sectors, "The same for each SM that has accessed the slice") \
  X(List, ns, l2_late_times, "After the start of a launch: when the profiler's host, or the driver, writes to the L2 beside it") \
  X(List, count, l2_late_write_sectors, "Sectors that are written at each of these times, as the counters see it") \
  X(List, count, l2_late_barrier_sectors, "Barriers at each slice that come with them") \
  X(Real, cycles, l2_barrier_interval, "Between two such barriers of a slice, which the end of the launch waits for") \
  X(Integer, cycles, first_code_spread, "Between the first cluster's first code and the last one's") \
  X(Real, cycles, first_code_spread_line, "The same for each line of the kernel, up to as many as a shared L0 holds") \
  X(Integer, cycles, first_code_latency, "From an SM's first block to the first code that it is given, beyond what a line of the second level takes") \
  X(Integer, cycles, begin_overhead, "Start of the kernel, as the elapsed-cycles counter sees it, to the first block's first instruction") \
  X(Integer, cycles, end_overhead, "Last EXIT to the end of the kernel") \
  X(Real, cycles, sm_spread, "More for a launch on several SMs, which begin and end unevenly, times the natural logarithm of their number") \
  X(Integer, cycles, end_acknowledged, "Acknowledgement of the last store to the end of the kernel, at least") \
  X(Integer, cycles, first_touch_latency, "More for a program's first access to a page: its walk of the page tables") \
  X(Integer, cycles, first_touch_interval, "Between two such walks of the chip") \
  X(Real, cycles, block_interval, "Between two blocks that the chip's scheduler sends out while there is room") \
  X(Real, cycles, block_end_interval, "Between two ends of blocks that it takes note of, one after the other; the last one ends the kernel") \
  X(Integer, cycles, sm_block_interval, "Between two blocks that one SM takes, at least") \
  X(Real, cycles, sm_warp_interval, "Between two blocks that one SM takes, for each warp of them") \
  X(Integer, cycles, block_start_latency, "Block sent out to its first instruction") \
  X(Integer, cycles, warp_interval, "Between the first instructions of two warps of a block, one a scheduler") \
  X(Integer, cycles, block_replace_latency, "Last EXIT of a block to the first instruction of the block that takes its place") \
  X(BlockOrder, choice, block_order, "How the first wave is dealt out") \
  X(Integer, cycles, launch_interval, "Between the first instructions of two launches that do not wait for each other") \
  X(Integer, cycles, graph_edge, "End of a node of a graph to the first instruction of a kernel that waits for it: what comes before that is done beside it") \
  X(Real, ns, host_launch, "Between two empty kernels of one stream")

#define WARPGAUGE_CLUSTER_KEYS(X) \
  X(Integer, cycles, remote_shared_latency, "Load-to-use of another SM's shared memory in a cluster of two; 0 where there is none") \
  X(Integer, cycles, remote_shared_far_extra, "The same in a cluster of more SMs than a TPC has, beyond that") \
  X(Integer, cycles, remote_atomic_extra, "An atomic on another SM's shared memory, beyond a load") \
  X(Real, cycles, remote_line, "Cycles of an SM's way out to others of its cluster that a line of a load takes, beside its sectors") \
  X(Real, cycles, remote_line_sector, "The same of a sector of it") \
  X(Real, bytes_per_cycle, remote_store_bytes_per_cycle, "Data of stores and atomics that leave by that way, in whole sectors; a store's half counts as one where the sector is not filled") \
  X(Real, cycles, remote_atomic_sector, "Cycles of that way that further sectors of a line of an atomic take beyond the first") \
  X(Real, cycles, remote_atomic_turn, "The same of a lane whose bank another lane of the atomic has named") \
  X(Real, bytes_per_cycle, remote_taken_bytes_per_cycle, "Data of others' stores and atomics that an SM takes in") \
  X(Real, bytes_per_cycle, remote_bytes_per_cycle, "Shared data that leave by the way out in answer to others' loads and atomics, in whole sectors") \
  X(Real, cycles, remote_acknowledgement, "Cycles of that way that the acknowledgement of a store's sector takes") \
  X(Real, cycles, remote_sector_passes, "Cycles of its shared memory that a sector takes which others read") \
  X(Integer, count, remote_packets, "Sectors of stores and atomics that an SM sends to others before the first of them has been answered") \
  X(Integer, cycles, remote_ahead, "Cycles for which what waits for the way out does not hold up what comes behind it") \
  X(Integer, cycles, remote_arrival, "Arrival at another block's barrier object, issue to the end of a wait there") \
  X(Integer, cycles, between_blocks_latency, "Bulk copy between blocks, issue to the end of its barrier object's phase, its bytes aside") \
  X(Real, bytes_per_cycle, between_blocks_bytes_per_cycle, "Bulk copies between blocks") \
  X(Integer, cycles, barrier_latency, "Cluster barrier, the last warp's arrival to the end of wait, where blocks are on several SMs") \
  X(Integer, cycles, barrier_alone, "The same of a cluster of one block") \
  X(Integer, cycles, tma_issue, "UBLKCP or UTMALDG to the first line that leaves for the L2") \
  X(Integer, cycles, tma_done, "The last line of a copy to the end of its barrier object's phase, as who stands there sees it") \
  X(Integer, cycles, tma_map, "What an SM's first copy by a tensor map waits for that") \
  X(Real, cycles, tma_line, "Cycles between two lines that a copy asks for") \
  X(Real, cycles, tma_row, "Cycles between two rows of a tile") \
  X(Integer, cycles, tma_store, "UBLKCP or UTMASTG to the first line that it reads from shared memory") \
  X(Real, bytes_per_cycle, tma_store_bytes_per_cycle, "Shared data that a copy to device memory reads a cycle") \
  X(Real, bytes_per_cycle, tma_reduction_bytes_per_cycle, "The same of one that the L2 combines with what it has") \
  X(Integer, cycles, mbarrier_wait, "SYNCS.PHASECHK.TRYWAIT of a completed phase to its predicate") \
  X(Integer, cycles, mbarrier_wake, "From what ends a phase to the predicate of the first warp that stands there") \
  X(Integer, cycles, mbarrier_wake_interval, "Between two warps that stand there") \
  X(Integer, cycles, mbarrier_patience, "For which a SYNCS.PHASECHK.TRYWAIT stands before it says that the phase lasts")

// SECTION(KEYS, Struct, member, DOC): one object each.
#define WARPGAUGE_CALIBRATION_SECTIONS(SECTION) \
  SECTION(WARPGAUGE_CHIP_KEYS, Chip, chip, "The chip and what an SM can hold") \
  SECTION(WARPGAUGE_CLOCK_KEYS, Clocks, clocks, "Clocks") \
  SECTION(WARPGAUGE_ISSUE_KEYS, Issue, issue, "Warp schedulers and control flow") \
  SECTION(WARPGAUGE_FRONT_END_KEYS, FrontEnd, front_end, "Instruction fetch") \
  SECTION(WARPGAUGE_CONSTANT_KEYS, Constant, constant, "Constant caches") \
  SECTION(WARPGAUGE_REGISTER_KEYS, Registers, registers, "Register file and reuse cache") \
  SECTION(WARPGAUGE_GMMA_KEYS, Gmma, gmma, "Warpgroup matrix instructions") \
  SECTION(WARPGAUGE_PREDICATE_KEYS, PredicateDistance, predicate, "Distances from a predicate's producer") \
  SECTION(WARPGAUGE_UNIFORM_KEYS, Uniform, uniform, "Uniform datapath") \
  SECTION(WARPGAUGE_LSU_KEYS, Lsu, lsu, "Memory unit of the SM") \
  SECTION(WARPGAUGE_SHARED_KEYS, Shared, shared, "Shared memory") \
  SECTION(WARPGAUGE_ATOMICS_KEYS, Atomics, atomics, "Atomics") \
  SECTION(WARPGAUGE_L1_KEYS, L1, l1, "L1 data cache") \
  SECTION(WARPGAUGE_INTERCONNECT_KEYS, Interconnect, interconnect, "Between the SMs and the L2") \
  SECTION(WARPGAUGE_L2_KEYS, L2, l2, "L2 cache") \
  SECTION(WARPGAUGE_DRAM_KEYS, Dram, dram, "Device memory") \
  SECTION(WARPGAUGE_BUS_KEYS, Bus, bus, "The bus to the host's memory") \
  SECTION(WARPGAUGE_TEXTURE_KEYS, Texture, texture, "Texture fetches and surface loads") \
  SECTION(WARPGAUGE_CALL_KEYS, Calls, calls, "Functions of the driver that kernels call") \
  SECTION(WARPGAUGE_LAUNCH_KEYS, Launch, launch, "Launching kernels and blocks") \
  SECTION(WARPGAUGE_CLUSTER_KEYS, Cluster, cluster, "Clusters and the tensor memory accelerator")

// GROUP(LIST, KEYS, ItemStruct, Struct, member, DOC): each name of LIST is a section `member.name` of ItemStruct.
#define WARPGAUGE_CALIBRATION_GROUPS(GROUP) \
  GROUP(WARPGAUGE_PIPES, WARPGAUGE_PIPE_KEYS, Pipe, Pipes, pipes, "Execution pipes") \
  GROUP(WARPGAUGE_MATRICES, WARPGAUGE_MATRIX_KEYS, Matrix, Matrices, matrix, "Matrix instructions by shape") \
  GROUP(WARPGAUGE_PRODUCERS, WARPGAUGE_DISTANCE_KEYS, Distance, Distances, distance, "Register distances by producer and consumer") \
  GROUP(WARPGAUGE_ACCESSES, WARPGAUGE_ACCESS_KEYS, Access, Accesses, access, "Memory instructions that hit") \
  GROUP(WARPGAUGE_TLBS, WARPGAUGE_TLB_KEYS, Tlb, Tlbs, tlb, "Address translation")

// clang-format on
