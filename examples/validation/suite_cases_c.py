"""Cases of the families that compute in registers, branch, or stress one mechanism."""

from suite_builder import buffer, f32, f64, floats, i32, i64, iota, u32, words, zero

KI = 1024
MI = 1024 * 1024


def hashing(suite):
    def add(kernel, size, grid, arguments, block=256, **more):
        suite.add("hashing", kernel, size, grid, block, arguments, **more)

    for size, n, length in (("under", 32 * KI, 32), ("l2", 512 * KI, 12)):
        add("hash_words", size, n // 256, [words(n * length, 200), zero(n), i32(length), i32(n)])
    for size, n in (("l1", 16 * KI), ("l2", 128 * KI)):
        add("hash_bytes", size, n // 128, [words(n * 16, 201), zero(n), i32(n)], 128)
    for size, n in (("under", 8 * KI), ("over", 40 * KI)):
        add("sha256_block", size, n // 128, [words(n * 16, 202), zero(n * 8), i32(n)], 128)
    for size, n, length in (("under", 16 * KI, 32), ("over", 320 * KI, 4)):
        add("crc32_table", size, n // 256, [words(n * length, 203), zero(n), i32(length), i32(n)])
    for size, n, slots in (("sparse", 64 * KI, 18), ("dense", 192 * KI, 18)):
        add("table_insert", size, n // 256, [words(n, 204), zero(1 << slots), i32(slots), i32(n)], reset=True,
            result="order")
    for size, n, slots in (("l1", 64 * KI, 14), ("l2", 512 * KI, 22)):
        add("table_probe", size, n // 256, [words(n, 205), iota(1 << slots), zero(n), i32(slots), i32(n)])


def dynamic(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("dynamic", kernel, size, grid, block, arguments)

    for size, pairs in (("under", 24), ("more", 66)):
        add("smith_waterman", size, pairs, 256, [words(pairs * 256, 210), words(pairs * 256, 211), zero(pairs)])
    for size, pairs, length in (("under", 256, 256), ("over", 9600, 24)):
        add("lcs_warp", size, pairs // 8, 256,
            [words(pairs * 32, 212), words(pairs * length, 213), zero(pairs), i32(length), i32(pairs)])
    for size, n in (("l1", 128), ("l2", 1024)):
        add("floyd_step", size, (n // 32, n // 8), (32, 8), [words(n * n, 214, 1, 1000), zero(n * n), i32(n), i32(n // 3)])
    for size, columns, rows in (("under", 16 * KI, 20), ("over", 256 * KI, 16)):
        grid = (columns + 512 - 2 * rows - 1) // (512 - 2 * rows)
        add("path_finder", size, grid, 512, [words(columns * rows, 215, 0, 9), zero(columns), i32(columns), i32(rows)])


def irregular(suite):
    def add(kernel, size, grid, arguments, block=256):
        suite.add("irregular", kernel, size, grid, block, arguments)

    for size, n in (("l1", 16 * KI), ("l2", 1 * MI), ("dram", 4 * MI)):
        add("gather_32", size, min(n // 256, 1056), [buffer(n, 4, "permutation_u32", 220), floats(n, 221), zero(n), i32(n)])
    for size, n in (("l2", 256 * KI), ("dram", 2 * MI)):
        add("gather_128", size, n // 256, [words(n, 222, 0, n - 1), floats(4 * n, 223), zero(4 * n), i32(n)])
    for size, n in (("l1", 16 * KI), ("l2", 1 * MI)):
        add("scatter_32", size, min(n // 256, 1056), [buffer(n, 4, "permutation_u32", 224), floats(n, 225), zero(n), i32(n)])
    for size, n in (("l1", 32 * KI), ("l2", 1 * MI)):
        add("gather_twice", size, n // 256,
            [words(n, 226, 0, n - 1), words(n, 227, 0, n - 1), words(n, 228), zero(n), i32(n)])
    for size, n, grid, block, steps in (("l1", 8 * KI, 32, 32, 300), ("l2", 2 * MI, 132, 64, 200),
                                        ("dram", 32 * MI // 2, 132, 128, 60)):
        fill = buffer(n, 4, "cycle_u32", 229) if n <= 2 * MI else words(n, 229, 0, n - 1)
        add("pointer_chase", size, grid, [fill, zero(grid * block), i32(steps), i32(n)], block)
    for size, held, n in (("l1", 16 * KI, 32 * KI), ("l2", 4 * MI, 256 * KI)):
        add("binary_search", size, n // 256, [iota(held, 0, 7), words(n, 230, 0, 7 * held), zero(n), i32(held), i32(n)])
    for size, n in (("under", 64 * KI), ("l2", 4 * MI)):
        add("compact_block", size, n // 256, [words(n, 231), zero(n), zero(n // 256), u32(0x60000000), i32(n)])


def atomics(suite):
    def add(kernel, size, grid, arguments, block=256, **more):
        suite.add("atomics", kernel, size, grid, block, arguments, **more)

    for size, grid, times in (("under", 66, 16), ("wave", 1056, 4)):
        add("atomic_hot", size, grid, [zero(1), i32(times)])
    for size, n, slots in (("few", 256 * KI, 64), ("l2", 512 * KI, 1 << 20)):
        add("atomic_spread", size, 528, [words(n, 240), zero(slots), u32(slots), i32(n)])
    for size, n, slots in (("few", 128 * KI, 256), ("l2", 512 * KI, 1 << 18)):
        add("atomic_float", size, 264, [words(n, 241), zero(slots), u32(slots), i32(n)])
    for size, n, slots in (("few", 128 * KI, 1024), ("l2", 512 * KI, 1 << 20)):
        add("atomic_max_u64", size, n // 256, [words(n, 242), zero(slots, 8), u32(slots), i32(n)])
    for size, grid, times in (("under", 64, 30), ("wave", 1056, 6)):
        add("atomic_result", size, grid, [zero(grid * 256), zero(grid * 256), i32(times)])
    for size, grid, times in (("under", 64, 60), ("wave", 1056, 12)):
        add("atomic_shared_hot", size, grid, [zero(grid * 2), i32(times)])
        add("atomic_shared_spread", size, grid, [zero(grid * 1024), i32(times)])
    for size, n, grid in (("under", 64 * KI, 64), ("over", 512 * KI, 1200)):
        add("atomic_shared_float", size, grid, [words(n, 243), zero(grid * 64), i32(n)])


def divergent(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("divergent", kernel, size, grid, block, arguments)

    for size, n, ways, rounds in (("two", 128 * KI, 2, 12), ("eight", 64 * KI, 8, 12), ("one", 256 * KI, 1, 12)):
        add("switch_ways", size, n // 256, 256, [words(n, 250), zero(n), u32(ways), i32(rounds), i32(n)])
    for size, n in (("under", 8 * KI), ("more", 40 * KI)):
        add("collatz", size, n // 128, 128, [zero(n), u32(1000000), i32(n)])
    for size, w, h, limit in (("under", 128, 128, 256), ("over", 640, 480, 64)):
        add("mandelbrot", size, (w // 16, h // 16), (16, 16), [zero(w * h), i32(w), i32(h), i32(limit)])
    for size, grid, per in (("under", 64, 8), ("wave", 1056, 2)):
        add("thinning", size, grid, 256, [zero(grid * 256), i32(per)])
    for size, grid, rounds in (("under", 200, 100), ("over", 6000, 20)):
        add("early_exit", size, grid, 256, [words(grid * 256, 251), zero(grid * 256), i32(rounds)])
    for size, grid, base in (("under", 32, 7), ("more", 264, 4)):
        add("recursive_fibonacci", size, grid, 128, [zero(grid * 128), u32(base)])
    for size, grid, depth in (("under", 16, 6), ("more", 132, 4)):
        add("recursive_tree", size, grid, 128, [zero(grid * 128), i32(depth)])
    for size, grid, board in (("under", 2, 8), ("more", 132, 7)):
        add("queens", size, grid, 64, [zero(grid * 64), i32(board)])


def spaces(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("spaces", kernel, size, grid, block, arguments)

    for size, grid, rounds in (("under", 64, 200), ("wave", 1056, 60)):
        add("constant_uniform", size, grid, 256, [zero(grid * 256), i32(rounds)])
        add("constant_wide", size, grid, 256, [zero(grid * 256), i32(rounds)])
    for size, grid, ways, rounds in (("two", 264, 2, 60), ("eight", 132, 8, 60), ("all", 66, 32, 60)):
        add("constant_divergent", size, grid, 256, [zero(grid * 256), i32(ways), i32(rounds)])
    for size, n, rounds in (("l1", 16 * KI, 40), ("l2", 128 * KI, 24)):
        add("local_array", size, n // 128, 128, [words(n, 260), zero(n), i32(rounds), i32(n)])
    for size, grid, rounds in (("l1", 66, 60), ("l2", 528, 30)):
        add("local_uniform", size, grid, 128, [zero(grid * 128), i32(rounds)])
    for size, grid, rounds in (("half", 66, 12), ("wave", 264, 4)):
        add("spilled", size, grid, 1024, [floats(grid * 1024, 261), zero(grid * 1024), i32(rounds)])
    for size, n, window in (("l1", 32 * KI, 64), ("l2", 1 * MI, 12)):
        add("read_only_reuse", size, n // 256, 256, [floats(n, 262), zero(n), i32(window), i32(n)])


def straight(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("straight", kernel, size, grid, block, arguments)

    for kernel, cases in (("straight_16k", (("one_warp", 132, 32, 8), ("full", 264, 256, 1))),
                          ("straight_64k", (("one_warp", 132, 32, 3), ("full", 132, 256, 1))),
                          ("straight_256k", (("one_warp", 132, 32, 2), ("some", 132, 128, 1))),
                          ("straight_by_warp", (("four_warps", 132, 128, 4), ("full", 132, 512, 2)))):
        for size, grid, block, rounds in cases:
            add(kernel, size, grid, block, [zero(grid * block), i32(rounds)])
    for size, grid, block, rounds in (("one_warp", 132, 32, 2), ("some", 132, 256, 1)):
        add("straight_ffma", size, grid, block, [floats(grid * block, 270), zero(grid * block), i32(rounds)])


def tiny(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("tiny", kernel, size, grid, block, arguments)

    for size, grid, block in (("one", 1, 32), ("wave", 1056, 256), ("many", 20000, 64)):
        add("tiny_empty", size, grid, block, [])
    for size, grid, block in (("one", 1, 32), ("wave", 1056, 256), ("many", 16000, 64)):
        add("tiny_store", size, grid, block, [zero(grid * block)])
    for size, grid in (("one", 1), ("wave", 264)):
        add("tiny_one_thread", size, grid, 256, [words(2, 280), zero(1)])
    for size, grid in (("one", 1), ("half", 66)):
        add("tiny_many_arguments", size, grid, 128,
            [zero(grid * 128), u32(3), u32(5), u32(7), u32(11), f32(2.5), f64(4.75), i64(1234567890123)])
    for size, grid in (("one", 1), ("wave", 132)):
        add("tiny_barrier", size, grid, 256, [words(grid * 256, 281), zero(grid * 256)])


def arithmetic(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("arithmetic", kernel, size, grid, block, arguments)

    for size, grid, block, rounds in (("one_warp", 132, 32, 60), ("full", 264, 512, 20)):
        count = grid * block
        add("ffma_one_chain", size, grid, block, [zero(count), f32(0.5), f32(0.25), i32(rounds)])
        add("ffma_four_chains", size, grid, block, [zero(count), f32(0.5), f32(0.25), i32(rounds)])
        add("fp64_polynomial", size, grid, block, [zero(count, 8), f64(0.5), i32(rounds)])
        add("half2_polynomial", size, grid, block, [buffer(count * 2, 2, "random_f16", 290, min=0, max=1), zero(count), i32(rounds)])
    for size, grid, block, rounds in (("under", 66, 128, 30), ("more", 600, 256, 6)):
        count = grid * block
        add("fp64_divide", size, grid, block, [zero(count, 8), i32(rounds)])
        add("special_fast", size, grid, block, [zero(count), i32(4 * rounds)])
        add("special_accurate", size, grid, block, [zero(count), i32(rounds)])
        add("integer_divide", size, grid, block, [words(count, 291), zero(count), u32(1001), i32(rounds), i32(count)])
        add("integer_divide_64", size, grid, block, [words(count, 292), zero(count, 8), i32(rounds), i32(count)])
        add("bits", size, grid, block, [words(count, 293), zero(count), i32(4 * rounds)])
        add("wide_multiply", size, grid, block, [words(count, 294), zero(count, 8), i32(3 * rounds)])
        add("mixed_pipes", size, grid, block, [words(count, 295), zero(count), i32(4 * rounds)])
    for size, n, length in (("under", 16 * KI, 64), ("l2", 256 * KI, 24)):
        add("dot_s8", size, n // 256, 256, [words(n * length, 296), words(length, 297), zero(n), i32(length), i32(n)])


def warp(suite):
    def add(kernel, size, grid, block, arguments, shared=0):
        suite.add("warp", kernel, size, grid, block, arguments, shared=shared)

    for size, grid, block, rounds in (("one_warp", 132, 32, 60), ("full", 264, 512, 10)):
        count = grid * block
        add("shuffle_butterfly", size, grid, block, [words(count, 300), zero(count), i32(rounds)])
        add("shuffle_index", size, grid, block, [words(count, 301), zero(count), i32(2 * rounds)])
        add("vote_and_match", size, grid, block, [words(count, 302), zero(count), i32(rounds)])
    for size, grid, block, rounds in (("small", 264, 64, 100), ("large", 132, 1024, 30)):
        add("barrier_ring", size, grid, block, [words(grid * block, 303), zero(grid * block), i32(rounds)], 8 * block)
    for size, grid, block, rounds in (("under", 66, 256, 40), ("wave", 528, 512, 8)):
        add("barrier_uneven", size, grid, block, [zero(grid * block), i32(rounds)])
    for size, stride in (("one", 1), ("two", 2), ("odd", 9), ("all", 32)):
        add("bank_stride", size, 264, 256, [zero(264 * 256), i32(stride), i32(60)])
    for size, grid, rounds in (("under", 66, 40), ("wave", 792, 12)):
        add("shared_wide", size, grid, 256, [words(grid * 1024, 304), zero(grid * 1024), i32(rounds)])


def add_all(suite):
    for family in (hashing, dynamic, irregular, atomics, divergent, spaces, straight, tiny, arithmetic, warp):
        family(suite)
