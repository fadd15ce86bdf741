"""Cases of the families that reorder, multiply matrices, or work on sparse and linked data."""

from suite_builder import (bfloats, buffer, csr_entries, doubles, f32, floats, halves, i32, iota, u32, words, zero)

KI = 1024
MI = 1024 * 1024


def sort(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("sort", kernel, size, grid, block, arguments)

    for size, blocks in (("under", 32), ("over", 300)):
        n = blocks * 1024
        add("bitonic_block", size, blocks, 512, [words(n, 80), zero(n), i32(n)])
    for size, n, span, stride in (("l2", 1 * MI, 4096, 1024), ("dram", 16 * MI, 1 * MI, 64)):
        add("bitonic_pass", size, n // 256, 256, [words(n, 81), zero(n), i32(span), i32(stride), i32(n)])
    for size, blocks in (("under", 64), ("over", 1100)):
        n = blocks * 2048
        add("radix_count", size, blocks, 256, [words(n, 82), zero(16 * blocks), i32(8), i32(n)])
    for size, blocks, bits in (("under", 100, 16), ("over", 2200, 4)):
        n = blocks * 256
        add("radix_block", size, blocks, 256, [words(n, 83), zero(n), i32(bits), i32(n)])
    for size, n in (("l1", 16 * KI), ("l2", 512 * KI)):
        add("merge_rank", size, 2 * n // 256, 256, [iota(n, 0, 3), iota(n, 1, 2), zero(2 * n), i32(n), i32(n)])


def convolution(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("convolution", kernel, size, grid, block, arguments)

    for size, n in (("l1", 64 * KI), ("l2", 2 * MI)):
        add("conv_1d", size, n // 256, 256, [floats(n, 90), zero(n), i32(n)])
    for size, w, h in (("l1", 256, 128), ("l2", 1024, 512)):
        grid = (w // 32, h // 8)
        add("conv_2d_direct", size, grid, (32, 8), [floats(w * h, 91), floats(25, 92), zero(w * h), i32(w), i32(h)])
    for size, w, h in (("l1", 200, 200), ("l2", 1280, 720)):
        add("conv_2d_tiled", size, ((w + 15) // 16, (h + 15) // 16), (16, 16),
            [floats(w * h, 93), zero(w * h), i32(w), i32(h)])
    for size, w, h, c in (("l1", 64, 66, 16), ("l2", 128, 130, 128)):
        add("conv_depthwise", size, ((w + 31) // 32, (h + 63) // 64, c), (32, 8),
            [floats(w * h * c, 94), floats(9 * c, 95), zero(w * h * c), i32(w), i32(h)])
    for size, w, h, c, k in (("under", 64, 28, 16, 32), ("over", 64, 96, 24, 96)):
        add("conv_channels", size, ((w + 63) // 64, h, k // 16), (64, 4),
            [floats(w * h * c, 96), floats(9 * c * k, 97), zero(w * h * k), i32(c), i32(w), i32(h)])


def network(suite):
    def add(kernel, size, grid, block, arguments, shared=0):
        suite.add("network", kernel, size, grid, block, arguments, shared=shared)

    for size, rows in (("under", 500), ("l2", 16 * KI)):
        add("softmax_warp", size, (rows + 3) // 4, 128, [floats(rows * 256, 100), zero(rows * 256), i32(rows)])
    for size, rows, columns in (("under", 64, 4096), ("l2", 1200, 2000), ("dram", 640, 16384)):
        add("softmax_block", size, rows, 256, [floats(rows * columns, 101), zero(rows * columns), i32(columns)])
    for size, rows in (("under", 4 * KI), ("over", 100000)):
        add("softmax_thread", size, (rows + 127) // 128, 128, [floats(rows * 64, 102), zero(rows * 64), i32(rows)])
    for size, rows, quads in (("under", 256, 192), ("l2", 4096, 256), ("dram", 16384, 320)):
        add("layer_norm_warp", size, (rows + 7) // 8, 256,
            [floats(rows * quads * 4, 103), floats(quads * 4, 104), floats(quads * 4, 105), zero(rows * quads * 4),
             i32(rows), i32(quads)])
    for size, rows, columns in (("under", 100, 2048), ("over", 1500, 3072)):
        add("rms_norm_block", size, rows, 256,
            [floats(rows * columns, 106), floats(columns, 107), zero(rows * columns), i32(columns)], 4 * columns)
    for size, n, grid in (("l1", 64 * KI, 64), ("l2", 2 * MI, 1056)):
        add("bias_gelu", size, grid, 256, [floats(n, 108, -3, 3), floats(768, 109), zero(n), i32(768), i32(n)])
    for size, length in (("under", 192), ("more", 400)):
        add("attention_warp", size, (length + 3) // 4, 128,
            [floats(length * 64, 110 + i) for i in range(3)] + [zero(length * 64), i32(length)])
    for size, length in (("under", 128), ("more", 1024)):
        add("attention_tiled", size, length // 64, 64,
            [floats(length * 64, 113 + i) for i in range(3)] + [zero(length * 64), i32(length)])
    for size, heads, length in (("under", 32, 512), ("wave", 264, 1024)):
        add("attention_decode", size, heads, 128,
            [floats(heads * 64, 116), floats(heads * length * 64, 117), floats(heads * length * 64, 118),
             zero(heads * 64), i32(length)], 4 * max(length, 64))


def csr(rows, seed, low, high, columns, skewed=False):
    """Row offsets, column numbers, and how many entries there are."""
    entries = csr_entries(rows, seed, low, high, skewed)
    fill = "csr_row_skewed_u32" if skewed else "csr_row_u32"
    return (buffer(rows + 1, 4, fill, seed, min=low, max=high), words(entries, seed + 1, 0, columns - 1), entries)


def sparse(suite):
    def add(kernel, size, grid, arguments, result="exact"):
        suite.add("sparse", kernel, size, grid, 256, arguments, result=result)

    for size, n, low, high, skewed in (("l1", 4 * KI, 4, 12, False), ("l2", 64 * KI, 0, 31, False),
                                       ("skewed", 32 * KI, 1, 200, True)):
        rows, columns, entries = csr(n, 120, low, high, n, skewed)
        add("spmv_csr_scalar", size, (n + 255) // 256,
            [rows, columns, floats(entries, 122), floats(n, 123), zero(n), i32(n)])
    for size, n, low, high, skewed in (("l1", 2 * KI, 16, 48, False), ("l2", 32 * KI, 8, 80, False),
                                       ("skewed", 16 * KI, 1, 600, True)):
        rows, columns, entries = csr(n, 124, low, high, n, skewed)
        add("spmv_csr_vector", size, (n + 7) // 8,
            [rows, columns, floats(entries, 126), floats(n, 127), zero(n), i32(n)])
    for size, n, entries in (("l1", 2 * KI, 32 * KI), ("l2", 256 * KI, 1 * MI)):
        add("spmv_coo", size, min(1056, entries // 256),
            [words(entries, 128, 0, n - 1), words(entries, 129, 0, n - 1), floats(entries, 130), floats(n, 131),
             zero(n), i32(entries)], "float_atomics")
    for size, n, width in (("l1", 8 * KI, 8), ("dram", 512 * KI, 16)):
        add("spmv_ell", size, n // 256,
            [words(n * width, 132, 0, n - 1), floats(n * width, 133), floats(n, 134), zero(n), i32(n), i32(width)])
    for size, n in (("under", 1 * KI), ("over", 16 * KI)):
        rows, columns, entries = csr(n, 135, 4, 28, n)
        add("spmm_csr", size, n // 8, [rows, columns, floats(entries, 137), floats(n * 32, 138), zero(n * 32), i32(n)])


def graph(suite):
    def add(kernel, size, grid, arguments, result="exact", block=256):
        suite.add("graph", kernel, size, grid, block, arguments, result=result)

    for size, n, high in (("early", 128 * KI, 40), ("late", 256 * KI, 3)):
        rows, edges, _ = csr(n, 140, 2, 14, n)
        add("bfs_level", size, n // 256,
            [rows, edges, words(n, 142, 0, high), buffer(n, 4, "constant_u32", min=0x7FFFFFFF), u32(1), i32(n)])
    for size, n, frontier in (("small", 64 * KI, 1000), ("large", 256 * KI, 20000)):
        rows, edges, _ = csr(n, 143, 1, 120, n, True)
        add("bfs_frontier", size, (frontier + 7) // 8,
            [rows, edges, words(frontier, 145, 0, n - 1), words(n, 146, 0, 5),
             buffer(n, 4, "constant_u32", min=0x7FFFFFFF), u32(2), i32(frontier)])
    for size, n in (("l1", 8 * KI), ("l2", 128 * KI)):
        rows, edges, _ = csr(n, 147, 0, 24, n)
        add("pagerank_pull", size, n // 256, [rows, edges, floats(n, 149, 0, 1), floats(n, 150, 0, 1), zero(n), i32(n)])
    for size, n in (("l1", 8 * KI), ("l2", 96 * KI)):
        rows, edges, _ = csr(n, 151, 0, 16, n)
        add("pagerank_push", size, n // 256, [rows, edges, floats(n, 153, 0, 1), zero(n), i32(n)], "float_atomics")
    for size, n, grid in (("uniform", 128 * KI, 256), ("skewed", 48 * KI, 96)):
        rows, edges, _ = csr(n, 154, 1, 20 if size == "uniform" else 300, n, size == "skewed")
        add("label_spread", size, grid, [rows, edges, words(n, 156), zero(n), i32(n)])


def physics(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("physics", kernel, size, grid, block, arguments)

    for size, n in (("under", 2048), ("more", 4352)):
        add("nbody_tiled", size, n // 256, 256, [floats(4 * n, 160, 0, 1), zero(4 * n), i32(n)])
    for size, n, block in (("under", 1024, 64), ("more", 3200, 128)):
        add("nbody_global", size, n // block, block, [floats(4 * n, 161, 0, 1), zero(4 * n), i32(n)])
    for size, n, per in (("l1", 4 * KI, 32), ("l2", 96 * KI, 24)):
        add("lennard_jones", size, n // 128, 128,
            [floats(4 * n, 162, 0, 1), words(n * per, 163, 0, n - 1), zero(n), i32(n), i32(per)])
    for size, blocks in (("under", 64), ("over", 1400)):
        add("fft_radix2", size, blocks, 256, [floats(1024 * blocks, 164), zero(1024 * blocks)])
    for size, blocks in (("under", 100), ("over", 2000)):
        add("fft_radix4", size, blocks, 256, [floats(2048 * blocks, 165), zero(2048 * blocks)])
    for size, grid, points in (("under", 40, 200), ("wave", 1056, 30)):
        add("monte_carlo_pi", size, grid, 256, [zero(grid * 256), i32(points)])
    for size, grid, paths in (("under", 64, 50), ("wave", 528, 8)):
        add("monte_carlo_option", size, grid, 256, [zero(grid * 256), i32(paths)])
    for size, grid, log_side, steps in (("l1", 64, 6, 100), ("l2", 264, 11, 60)):
        add("random_walk", size, grid, 128,
            [floats(1 << (2 * log_side), 166), zero(grid * 128), i32(log_side), i32(steps)])


def matrix(suite):
    def product(m, n, k, make, element):
        return [make(m * k, 170), make(n * k, 171), zero(m * n, element), i32(n), i32(k)]

    for size, n, k in (("l1", 128, 128), ("l2", 1024, 512)):
        suite.add("matrix", "wmma_f16_global", size, (n // 32, n // 32), 128, product(n, n, k, halves, 4))
    for size, n, k in (("under", 256, 256), ("wave", 1536, 512), ("l2", 2048, 1024)):
        suite.add("matrix", "wmma_f16_shared", size, (n // 64, n // 64), 128, product(n, n, k, halves, 4))
    for size, grid, block, times in (("one_warp", 132, 32, 200), ("full", 264, 256, 200)):
        suite.add("matrix", "wmma_f16_loop", size, grid, block,
                  [halves(256, 172), halves(256, 173), zero(grid * block // 32 * 512, 2), i32(times)])
    signed_bytes = lambda count, seed: words(count // 4, seed)
    for size, n, k in (("l1", 128, 256), ("l2", 1024, 512)):
        suite.add("matrix_turing", "wmma_s8_global", size, (n // 32, n // 32), 128,
                  product(n, n, k, signed_bytes, 4), minimum=75)
    for size, n, k in (("under", 256, 256), ("over", 1536, 512)):
        suite.add("matrix_turing", "mma_f16_ldmatrix", size, (n // 32, n // 64), 128, product(n, n, k, halves, 4),
                  minimum=75)
    for size, n, k in (("under", 256, 512), ("wave", 1472, 1024), ("l2", 2048, 1024)):
        suite.add("matrix_ampere", "mma_bf16_pipelined", size, (n // 64, n // 64), 128, product(n, n, k, bfloats, 4),
                  minimum=80)
    for size, n, k in (("under", 128, 256), ("over", 768, 384)):
        suite.add("matrix_ampere", "mma_f64", size, (n // 32, n // 32), 128, product(n, n, k, doubles, 8), minimum=80)
    for size, n, k in (("under", 256, 256), ("over", 1536, 1024)):
        suite.add("matrix_ampere", "mma_s8", size, (n // 32, n // 64), 128, product(n, n, k, signed_bytes, 4),
                  minimum=80)
    for size, grid, block, times in (("one_warp", 132, 32, 200), ("full", 264, 256, 100)):
        suite.add("matrix_ampere", "mma_tf32_loop", size, grid, block,
                  [floats(192, 174), zero(grid * block), i32(times)], minimum=80)
    for size, grid, tiles in (("under", 66, 24), ("l2", 528, 16), ("dram", 1056, 24)):
        suite.add("matrix_ampere", "async_copy_sum", size, grid, 256,
                  [words(grid * tiles * 1024, 175), zero(grid * 256), i32(tiles)], minimum=80)
    for size, n in (("under", 64 * KI), ("over", 2 * MI)):
        suite.add("matrix_ampere", "async_copy_stencil", size, n // 256, 256, [floats(n, 176), zero(n), i32(n)],
                  minimum=80)


def add_all(suite):
    for family in (sort, convolution, network, sparse, graph, physics, matrix):
        family(suite)
