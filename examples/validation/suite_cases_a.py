"""Cases of the families that move data: streaming, reduction, scan, histogram, transpose, stencil, gemm."""

from suite_builder import doubles, f32, f64, floats, i32, u32, words, zero

KI = 1024
MI = 1024 * 1024


def streaming(suite):
    def add(kernel, size, grid, arguments, block=256):
        suite.add("streaming", kernel, size, grid, block, arguments)

    for size, n, grid in (("l1", 64 * KI, 64), ("l2", 4 * MI, 1056)):
        add("copy_8", size, grid, [words(n // 4, 1), zero(n, 1), i32(n)])
    for size, n, grid in (("l1", 32 * KI, 32), ("l2", 2 * MI, 1056), ("dram", 16 * MI, 4224)):
        add("copy_32", size, grid, [floats(n, 2), zero(n), i32(n)])
    for size, n, grid in (("l1", 16 * KI, 64), ("l2", 1 * MI, 1056), ("dram", 8 * MI, 2112)):
        add("copy_64", size, grid, [floats(2 * n, 3), zero(2 * n), i32(n)])
    for size, n, grid in (("l1", 16 * KI, 64), ("l2", 1 * MI, 1056), ("dram", 4 * MI, 1056)):
        add("copy_128", size, grid, [floats(4 * n, 4), zero(4 * n), i32(n)])
    for size, n, grid in (("l2", 2 * MI, 8192), ("dram", 12 * MI, 2000)):
        add("scale_32", size, grid, [floats(n, 5), zero(n), f32(1.5), i32(n)])
    for size, n, grid in (("l1", 64 * KI, 128), ("l2", 2 * MI, 2112), ("dram", 12 * MI, 1056)):
        add("triad_32", size, grid, [floats(n, 6), floats(n, 7), zero(n), f32(0.75), i32(n)])
    for size, n, grid in (("l2", 512 * KI, 1056), ("dram", 3 * MI, 1500)):
        add("triad_128", size, grid, [floats(4 * n, 8), floats(4 * n, 9), zero(4 * n), f32(0.75), i32(n)])
    for size, n, grid in (("l2", 1 * MI, 528), ("dram", 6 * MI, 1056)):
        add("triad_f64", size, grid, [doubles(n, 10), doubles(n, 11), zero(n, 8), f64(0.75), i32(n)])
    for size, n, grid in (("l2", 1 * MI, 1056), ("dram", 8 * MI, 1056)):
        add("fill_128", size, grid, [zero(4 * n), u32(0x5A5A1234), i32(n)])
    for size, n, grid in (("l2", 1 * MI, 264), ("dram", 8 * MI, 1056)):
        add("read_128", size, grid, [words(4 * n, 12), zero(grid * 256), i32(n)])
    for size, n, stride in (("two", 1 * MI, 2), ("eight", 1 * MI, 8), ("odd", 512 * KI, 33)):
        add("read_strided", size, n // 256, [words(n * stride, 13), zero(n), i32(stride), i32(n)])
    for size, chunk, passes, grid in (("l1", 4 * KI, 8, 132), ("l2", 16 * KI, 4, 132), ("half_wave", 2 * KI, 8, 66)):
        add("read_again", size, grid, [words(4 * chunk * grid, 14), zero(grid * 512), i32(chunk), i32(passes)], 512)


def reduction(suite):
    def add(kernel, size, grid, arguments, block=256, result="exact"):
        suite.add("reduction", kernel, size, grid, block, arguments, result=result)

    for size, n in (("under", 64 * KI), ("wave", 540 * KI), ("l2", 4 * MI)):
        grid = (n + 511) // 512
        add("reduce_shared", size, grid, [words(n, 20), zero(grid), i32(n)])
    for size, n, grid in (("l1", 32 * KI, 33), ("l2", 4 * MI, 1056), ("dram", 24 * MI, 1056)):
        add("reduce_shuffle", size, grid, [words(n, 21), zero(grid), i32(n)])
    for size, n, grid in (("l2", 1 * MI, 528), ("dram", 8 * MI, 2112)):
        add("reduce_atomic", size, grid, [words(4 * n, 22), zero(1), i32(n)])
    for size, n, grid in (("l2", 2 * MI, 528), ("dram", 12 * MI, 1056)):
        add("dot_f32", size, grid, [floats(n, 23), floats(n, 24), zero(grid), i32(n)])
    for size, n, grid in (("l1", 64 * KI, 66), ("l2", 4 * MI, 1056)):
        add("argmax_f32", size, grid, [floats(n, 25), zero(grid), zero(grid), i32(n)])
    for size, rows, columns in (("short", 4 * KI, 96), ("long", 256, 8 * KI)):
        add("row_max_f64", size, (rows + 7) // 8, [doubles(rows * columns, 26), zero(rows, 8), i32(rows), i32(columns)])


def scan(suite):
    def add(kernel, size, grid, block, arguments, **more):
        suite.add("scan", kernel, size, grid, block, arguments, **more)

    for size, n in (("under", 100 * KI), ("over", 3 * MI)):
        add("scan_warp", size, (n + 255) // 256, 256, [words(n, 30), zero(n), i32(n)])
    for size, n, block in (("under", 60 * KI, 1024), ("over", 2 * MI, 512)):
        grid = (n + block - 1) // block
        add("scan_block", size, grid, block, [words(n, 31), zero(n), zero(grid), i32(n)])
    for size, n in (("under", 64 * KI), ("over", 1 * MI + 300)):
        add("scan_sweeps", size, (n + 1023) // 1024, 512, [words(n, 32), zero(n), i32(n)])
    for size, n in (("wave", 264 * KI), ("over", 2 * MI)):
        grid = (n + 511) // 512
        add("scan_look_back", size, grid, 512, [words(n, 33), zero(n), zero(grid, 8), zero(1), i32(n)], reset=True)


def histogram(suite):
    def add(kernel, size, grid, arguments):
        suite.add("histogram", kernel, size, grid, 256, arguments)

    for size, n, grid, high in (("spread", 512 * KI, 528, 0xFFFFFFFF), ("skewed", 128 * KI, 264, 7)):
        add("histogram_global", size, grid, [words(n, 40, 0, high), zero(256), i32(n)])
    for size, n, grid, high in (("l1", 64 * KI, 64, 0xFFFFFFFF), ("spread", 2 * MI, 528, 0xFFFFFFFF),
                                ("skewed", 512 * KI, 528, 3)):
        add("histogram_shared", size, grid, [words(n, 41, 0, high), zero(256), i32(n)])
    for size, n, grid in (("under", 128 * KI, 66), ("over", 4 * MI, 1600)):
        add("histogram_warps", size, grid, [words(n, 42), zero(256), i32(n)])


def transpose(suite):
    for kernel, element, sizes in (
            ("transpose_naive", 4, (("l1", 256, 256), ("l2", 1024, 1024))),
            ("transpose_tiled", 4, (("l1", 256, 256), ("l2", 1024, 1536))),
            ("transpose_padded", 4, (("l1", 320, 320), ("l2", 2048, 1024), ("dram", 4096, 3072))),
            ("transpose_padded_f64", 8, (("l2", 1000, 1000), ("dram", 2048, 3000)))):
        for size, width, height in sizes:
            make = floats if element == 4 else doubles
            suite.add("transpose", kernel, size, ((width + 31) // 32, (height + 31) // 32), (32, 8),
                      [make(width * height, 50), zero(width * height, element), i32(width), i32(height)])


def stencil(suite):
    def add(kernel, size, grid, block, arguments):
        suite.add("stencil", kernel, size, grid, block, arguments)

    for size, w, h in (("l1", 256, 256), ("l2", 1500, 1500), ("dram", 4096, 3072)):
        add("stencil_2d", size, ((w + 31) // 32, (h + 7) // 8), (32, 8),
            [floats(w * h, 60), zero(w * h), i32(w), i32(h)])
    for size, w, h in (("l1", 250, 250), ("l2", 1536, 1024)):
        add("stencil_2d_shared", size, ((w + 31) // 32, (h + 7) // 8), (32, 8),
            [floats(w * h, 61), zero(w * h), i32(w), i32(h)])
    for size, nx, ny, nz in (("l1", 64, 64, 32), ("l2", 128, 128, 96), ("dram", 256, 256, 160)):
        add("stencil_3d", size, ((nx + 31) // 32, (ny + 7) // 8, nz), (32, 8),
            [floats(nx * ny * nz, 62), zero(nx * ny * nz), i32(nx), i32(ny), i32(nz)])
    for size, nx, ny, nz in (("l2", 256, 128, 48), ("dram", 512, 512, 48)):
        add("stencil_3d_march", size, ((nx + 31) // 32, (ny + 7) // 8), (32, 8),
            [floats(nx * ny * nz, 63), zero(nx * ny * nz), i32(nx), i32(ny), i32(nz)])
    for size, w, h in (("l1", 128, 128), ("l2", 1200, 1000)):
        add("stencil_2d_f64", size, ((w + 31) // 32, (h + 7) // 8), (32, 8),
            [doubles(w * h, 64), zero(w * h, 8), i32(w), i32(h)])
    for size, log_w, log_h in (("l1", 8, 8), ("l2", 11, 10)):
        cells = 1 << (log_w + log_h)
        add("life", size, ((1 << log_w) // 64, (1 << log_h) // 4), (64, 4),
            [words(cells // 4, 65), zero(cells, 1), i32(log_w), i32(log_h)])


def gemm(suite):
    def matrices(make, element, m, n, k):
        return [make(m * k, 70), make(k * n, 71), zero(m * n, element), i32(m), i32(n), i32(k)]

    for size, n in (("l1", 64), ("l2", 320)):
        suite.add("gemm", "gemm_naive", size, (n // 32, n // 8), (32, 8), matrices(floats, 4, n, n, n))
    for size, n, k in (("l1", 96, 96), ("l2", 512, 384)):
        suite.add("gemm", "gemm_shared", size, (n // 16, n // 16), (16, 16), matrices(floats, 4, n, n, k))
    for size, n, k in (("l1", 64, 128), ("l2", 320, 256)):
        suite.add("gemm", "gemm_shared_f64", size, (n // 16, n // 16), (16, 16), matrices(doubles, 8, n, n, k))
    for size, m, n, k in (("under", 256, 256, 256), ("wave", 768, 704, 256), ("l2", 1024, 1024, 256)):
        suite.add("gemm", "gemm_register4", size, (n // 64, m // 64), 256, matrices(floats, 4, m, n, k))
    for size, m, n, k in (("under", 512, 512, 256), ("wave", 1536, 1408, 128)):
        suite.add("gemm", "gemm_register8", size, (n // 128, m // 128), 256, matrices(floats, 4, m, n, k))
    for size, rows, columns in (("l2", 2048, 1024), ("dram", 4096, 4096)):
        suite.add("gemm", "gemv_warp", size, rows // 8, 256,
                  [floats(rows * columns, 72), floats(columns, 73), zero(rows), i32(rows), i32(columns)])


def add_all(suite):
    for family in (streaming, reduction, scan, histogram, transpose, stencil, gemm):
        family(suite)
