// What texture fetches and surface accesses give: sets of 4,096 each, of all shapes, formats, filters and
// ways to address. Prints each set's name and the FNV-1a sum of its results; with a file as argument it
// writes the results there as well.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"

constexpr int N = 4096;
uint32_t state = 12345;
uint32_t rnd() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
float unit() {
  return (rnd() >> 8) * (1.f / 16777216.f);
}
FILE* out;
std::uint64_t fnv(const std::vector<char>& bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return sum;
}
float *du, *dv, *dw;
void* dres;
enum Op {
  t1f,
  t1,
  t2,
  t3,
  l1,
  l2,
  cube,
  cubel,
  gather0,
  gather1,
  gather2,
  gather3,
  grad,
  lod,
  s1,
  s2,
  s3,
  s2z,
  s2c
};
template <Op O, class T>
__global__ void ask(cudaTextureObject_t t, const float* u, const float* v, const float* w, T* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = u[i], b = v[i], c = w[i];
  if constexpr (O == t1f) r[i] = tex1Dfetch<T>(t, (int)a);
  if constexpr (O == t1) r[i] = tex1D<T>(t, a);
  if constexpr (O == t2) r[i] = tex2D<T>(t, a, b);
  if constexpr (O == t3) r[i] = tex3D<T>(t, a, b, c);
  if constexpr (O == l1) r[i] = tex1DLayered<T>(t, a, (int)c);
  if constexpr (O == l2) r[i] = tex2DLayered<T>(t, a, b, (int)c);
  if constexpr (O == cube) r[i] = texCubemap<T>(t, a, b, c);
  if constexpr (O == cubel) r[i] = texCubemapLayered<T>(t, a, b, c, i & 1);
  if constexpr (O == gather0) r[i] = tex2Dgather<T>(t, a, b, 0);
  if constexpr (O == gather1) r[i] = tex2Dgather<T>(t, a, b, 1);
  if constexpr (O == gather2) r[i] = tex2Dgather<T>(t, a, b, 2);
  if constexpr (O == gather3) r[i] = tex2Dgather<T>(t, a, b, 3);
  if constexpr (O == grad) r[i] = tex2DGrad<T>(t, a, b, make_float2(.01f, .02f), make_float2(.03f, .01f));
  if constexpr (O == lod) r[i] = tex2DLod<T>(t, a, b, c);
  if constexpr (O == s1) r[i] = surf1Dread<T>(t, (int)a * (int)sizeof(T), cudaBoundaryModeZero);
  if constexpr (O == s2) r[i] = surf2Dread<T>(t, (int)a * (int)sizeof(T), (int)b, cudaBoundaryModeTrap);
  if constexpr (O == s2z) r[i] = surf2Dread<T>(t, (int)a * (int)sizeof(T), (int)b, cudaBoundaryModeZero);
  if constexpr (O == s2c) r[i] = surf2Dread<T>(t, (int)a * (int)sizeof(T), (int)b, cudaBoundaryModeClamp);
  if constexpr (O == s3)
    r[i] = surf3Dread<T>(t, (int)a * (int)sizeof(T), (int)b, (int)c, cudaBoundaryModeZero);
}
template <class T>
__global__ void put(cudaSurfaceObject_t s, const float* u, const float* v, T* r, int mode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mode == 0)
    surf2Dwrite<T>(r[i], s, (int)u[i] * (int)sizeof(T), (int)v[i], cudaBoundaryModeZero);
  else
    surf1Dwrite<T>(r[i], s, i * (int)sizeof(T), cudaBoundaryModeZero);
}
template <Op O, class T>
void go(const char* name, cudaTextureObject_t t, const std::vector<float>& u, const std::vector<float>& v,
        const std::vector<float>& w) {
  C(cudaMemcpy(du, u.data(), 4 * N, cudaMemcpyHostToDevice));
  C(cudaMemcpy(dv, v.data(), 4 * N, cudaMemcpyHostToDevice));
  C(cudaMemcpy(dw, w.data(), 4 * N, cudaMemcpyHostToDevice));
  C(cudaMemset(dres, 0, N * 16));
  ask<O, T><<<N / 128, 128>>>(t, du, dv, dw, (T*)dres);
  C(cudaDeviceSynchronize());
  std::vector<char> r(N * sizeof(T));
  C(cudaMemcpy(r.data(), dres, r.size(), cudaMemcpyDeviceToHost));
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(fnv(r)));
  if (out == nullptr) return;
  char head[64] = {};
  snprintf(head, 56, "%s", name);
  uint32_t b = sizeof(T);
  memcpy(head + 56, &b, 4);
  uint32_t n = N;
  memcpy(head + 60, &n, 4);
  fwrite(head, 1, 64, out);
  fwrite(r.data(), 1, r.size(), out);
}
std::vector<float> spread(float lo, float hi) {
  std::vector<float> r(N);
  for (auto& x : r) x = lo + (hi - lo) * unit();
  return r;
}
std::vector<float> sweep(float lo, float hi) {
  std::vector<float> r(N);
  for (int i = 0; i < N; ++i) r[i] = lo + (hi - lo) * i / N;
  return r;
}
std::vector<float> fixed(float x) {
  return std::vector<float>(N, x);
}
template <class T>
struct Arr {
  cudaArray_t a;
  int w, h, d;
};
template <class T>
void fill(std::vector<T>& v) {
  unsigned char* p = (unsigned char*)v.data();
  for (size_t i = 0; i < v.size() * sizeof(T); ++i) p[i] = rnd() >> 11;
}
template <>
void fill(std::vector<float>& v) {
  for (auto& x : v) x = unit() * 2 - 1;
}
template <>
void fill(std::vector<float2>& v) {
  for (auto& x : v) x = {unit() * 2 - 1, unit() * 100};
}
template <>
void fill(std::vector<float4>& v) {
  for (auto& x : v) x = {unit() * 2 - 1, unit() * 100, unit() * 1e-3f, -unit()};
}
template <class T>
Arr<T> arr(int w, int h, int d, unsigned flags = 0, std::vector<T> z = {}) {
  Arr<T> r{0, w, h, d};
  auto c = cudaCreateChannelDesc<T>();
  C(cudaMalloc3DArray(&r.a, &c, make_cudaExtent(w, h, d), flags));
  int hh = h ? h : 1, dd = d ? d : 1;
  if (z.empty()) {
    z.resize((size_t)w * hh * dd);
    fill(z);
  }
  cudaMemcpy3DParms m{};
  m.srcPtr = make_cudaPitchedPtr(z.data(), w * sizeof(T), w, hh);
  m.dstArray = r.a;
  m.extent = make_cudaExtent(w, hh, dd);
  m.kind = cudaMemcpyHostToDevice;
  C(cudaMemcpy3D(&m));
  return r;
}
template <class T>
cudaTextureObject_t tex(Arr<T> a, cudaTextureAddressMode m, bool linear, bool norm, bool normf,
                        bool border = false) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a.a;
  cudaTextureDesc d{};
  for (auto& x : d.addressMode) x = m;
  d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.readMode = normf ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  d.normalizedCoords = norm;
  if (border) {
    d.borderColor[0] = .25f;
    d.borderColor[1] = .5f;
    d.borderColor[2] = 3;
    d.borderColor[3] = -1;
  }
  cudaTextureObject_t t;
  C(cudaCreateTextureObject(&t, &r, &d, 0));
  return t;
}
template <class T>
cudaSurfaceObject_t surf(Arr<T> a) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a.a;
  cudaSurfaceObject_t t;
  C(cudaCreateSurfaceObject(&t, &r));
  return t;
}
template <class T>
cudaTextureObject_t lin(T* p, int n, bool normf) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  r.res.linear.desc = cudaCreateChannelDesc<T>();
  r.res.linear.sizeInBytes = n * sizeof(T);
  cudaTextureDesc d{};
  d.readMode = normf ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  cudaTextureObject_t t;
  C(cudaCreateTextureObject(&t, &r, &d, 0));
  return t;
}
int main(int argc, char** argv) {
  if (argc > 1) out = fopen(argv[1], "wb");
  C(cudaMalloc(&du, 4 * N));
  C(cudaMalloc(&dv, 4 * N));
  C(cudaMalloc(&dw, 4 * N));
  C(cudaMalloc(&dres, 16 * N));
  auto z = fixed(0);
  char name[64];
  cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                    cudaAddressModeBorder};
  const char* mn[] = {"wrap", "clamp", "mirror", "border"};
  // weights: texels 0,0,0,1,0,… swept
  {
    std::vector<float> step(16, 0.f);
    for (int i = 4; i < 16; ++i) step[i] = 1;
    auto a = arr<float>(16, 0, 0, 0, step);
    go<t1, float>("weight_1d", tex(a, cudaAddressModeClamp, true, false, false), sweep(3.4f, 4.6f), z, z);
    go<t1, float>("weight_1d_norm", tex(a, cudaAddressModeClamp, true, true, false),
                  sweep(3.4f / 16, 4.6f / 16), z, z);
    go<t1, float>("edge_1d", tex(a, cudaAddressModeClamp, false, false, false), sweep(3.999f, 4.001f), z, z);
    go<t1, float>("edge_1d_norm", tex(a, cudaAddressModeClamp, false, true, false),
                  sweep(3.999f / 16, 4.001f / 16), z, z);
  }
  {
    std::vector<float> big(16);
    for (int i = 0; i < 16; ++i) big[i] = (i == 3) ? 1.f : (i == 4 ? 16777216.f : 0.f);
    auto a = arr<float>(16, 0, 0, 0, big);
    go<t1, float>("weight_1d_big", tex(a, cudaAddressModeClamp, true, false, false), sweep(3.4f, 4.6f), z, z);
  }
  {
    std::vector<float> s(64, 0.f);
    s[3 * 8 + 3] = 1;
    s[3 * 8 + 4] = 0;
    auto a = arr<float>(8, 8, 0, 0, s);
    go<t2, float>("weight_2d", tex(a, cudaAddressModeClamp, true, false, false), spread(2.5f, 4.5f),
                  spread(2.5f, 4.5f), z);
  }
  auto f1 = arr<float>(37, 0, 0), f2 = arr<float>(37, 23, 0);
  auto f3 = arr<float>(17, 11, 9);
  auto g2 = arr<float4>(37, 23, 0), c2 = arr<float4>(40, 30, 0, cudaArrayTextureGather);
  auto h2 = arr<float2>(64, 64, 0);
  auto u2 = arr<uchar4>(37, 23, 0);
  auto b2 = arr<unsigned char>(37, 23, 0);
  auto i2 = arr<signed char>(37, 23, 0);
  auto us2 = arr<unsigned short>(37, 23, 0);
  auto ss2 = arr<short2>(37, 23, 0);
  auto in2 = arr<int>(37, 23, 0);
  auto ui4 = arr<uint4>(19, 13, 0);
  for (int m = 0; m < 4; ++m)
    for (int norm = 0; norm < 2; ++norm)
      for (int linear = 0; linear < 2; ++linear) {
        if (!norm && (m == 0 || m == 2)) continue;
        float s = norm ? 1.f : 37.f, s2 = norm ? 1.f : 23.f, lo = norm ? -2.2f : -20.f,
              hi = norm ? 3.3f : 60.f;
        auto u = spread(lo, hi), v = spread(lo, hi), w = spread(lo, hi);
        auto ui = spread(0, s), vi = spread(0, s2);
        auto nm = [&](const char* k) {
          snprintf(name, 64, "%s_%s_%s_%s", k, mn[m], norm ? "norm" : "texel", linear ? "linear" : "point");
          return name;
        };
        go<t1, float>(nm("1d_f"), tex(f1, modes[m], linear, norm, false, true), u, z, z);
        go<t2, float>(nm("2d_f"), tex(f2, modes[m], linear, norm, false, true), u, v, z);
        go<t2, float>(nm("2d_f_inside"), tex(f2, modes[m], linear, norm, false, true), ui, vi, z);
        go<t2, float4>(nm("2d_f4"), tex(g2, modes[m], linear, norm, false, true), u, v, z);
        go<t2, float2>(nm("2d_f2"), tex(h2, modes[m], linear, norm, false, true), u, v, z);
        go<t3, float>(nm("3d_f"), tex(f3, modes[m], linear, norm, false, true), u, v, w);
        go<t2, float4>(nm("2d_uc4n"), tex(u2, modes[m], linear, norm, true, true), u, v, z);
        go<t2, float>(nm("2d_ucn"), tex(b2, modes[m], linear, norm, true, true), u, v, z);
        go<t2, float>(nm("2d_scn"), tex(i2, modes[m], linear, norm, true, true), u, v, z);
        go<t2, float>(nm("2d_usn"), tex(us2, modes[m], linear, norm, true, true), u, v, z);
        go<t2, float2>(nm("2d_ss2n"), tex(ss2, modes[m], linear, norm, true, true), u, v, z);
        if (!linear) {
          go<t2, uchar4>(nm("2d_uc4"), tex(u2, modes[m], linear, norm, false, true), u, v, z);
          go<t2, signed char>(nm("2d_sc"), tex(i2, modes[m], linear, norm, false, true), u, v, z);
          go<t2, short2>(nm("2d_ss2"), tex(ss2, modes[m], linear, norm, false, true), u, v, z);
          go<t2, int>(nm("2d_i"), tex(in2, modes[m], linear, norm, false, true), u, v, z);
          go<t2, uint4>(nm("2d_u4"), tex(ui4, modes[m], linear, norm, false, true), u, v, z);
        }
        go<gather0, float4>(nm("gather0"), tex(c2, modes[m], linear, norm, false, true), u, v, z);
        go<gather2, float4>(nm("gather2"), tex(c2, modes[m], linear, norm, false, true), u, v, z);
        go<grad, float>(nm("grad"), tex(f2, modes[m], linear, norm, false, true), u, v, z);
        go<lod, float>(nm("lod"), tex(f2, modes[m], linear, norm, false, true), u, v, spread(-1, 3));
      }
  {
    auto a = arr<float>(37, 0, 5, cudaArrayLayered);
    auto b = arr<float>(37, 23, 5, cudaArrayLayered);
    auto c = arr<float>(16, 16, 6, cudaArrayCubemap);
    auto d = arr<float>(16, 16, 12, cudaArrayCubemap | cudaArrayLayered);
    for (int linear = 0; linear < 2; ++linear) {
      auto u = spread(-3, 40), v = spread(-3, 30), w = spread(-2, 8);
      go<l1, float>(linear ? "layers_1d_linear" : "layers_1d_point",
                    tex(a, cudaAddressModeClamp, linear, false, false), u, z, w);
      go<l2, float>(linear ? "layers_2d_linear" : "layers_2d_point",
                    tex(b, cudaAddressModeClamp, linear, false, false), u, v, w);
      auto x = spread(-1, 1), y = spread(-1, 1), q = spread(-1, 1);
      go<cube, float>(linear ? "cube_linear" : "cube_point",
                      tex(c, cudaAddressModeClamp, linear, true, false), x, y, q);
      go<cubel, float>(linear ? "cube_layers_linear" : "cube_layers_point",
                       tex(d, cudaAddressModeClamp, linear, true, false), x, y, q);
    }
  }
  {
    float* p;
    C(cudaMalloc(&p, 1 << 20));
    std::vector<float> q(262144);
    fill(q);
    C(cudaMemcpy(p, q.data(), 1 << 20, cudaMemcpyHostToDevice));
    go<t1f, float>("fetch_f", lin(p, 1000, false), spread(-50, 1100), z, z);
    go<t1f, float4>("fetch_f4", lin((float4*)p, 1000, false), spread(-50, 1100), z, z);
    go<t1f, uchar4>("fetch_uc4", lin((uchar4*)p, 1000, false), spread(-50, 1100), z, z);
    go<t1f, float>("fetch_ucn", lin((unsigned char*)p, 1000, true), spread(-50, 1100), z, z);
    go<t1f, int2>("fetch_i2", lin((int2*)p, 1000, false), spread(-50, 1100), z, z);
    go<t1f, short>("fetch_s", lin((short*)p, 1000, false), spread(-50, 1100), z, z);
    cudaResourceDesc r{};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 50;
    r.res.pitch2D.height = 40;
    r.res.pitch2D.pitchInBytes = 256;
    cudaTextureDesc d{};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeBorder;
    d.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t;
    C(cudaCreateTextureObject(&t, &r, &d, 0));
    go<t2, float>("pitch2d_linear", t, spread(-3, 60), spread(-3, 60), z);
    d.filterMode = cudaFilterModePoint;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    C(cudaCreateTextureObject(&t, &r, &d, 0));
    go<t2, float>("pitch2d_point", t, spread(-3, 60), spread(-3, 60), z);
  }
  {
    auto a = arr<float>(64, 0, 0, cudaArraySurfaceLoadStore);
    auto b = arr<float>(64, 48, 0, cudaArraySurfaceLoadStore);
    auto b4 = arr<float4>(64, 48, 0, cudaArraySurfaceLoadStore);
    auto bc = arr<unsigned char>(64, 48, 0, cudaArraySurfaceLoadStore);
    auto b3 = arr<float>(16, 12, 10, cudaArraySurfaceLoadStore);
    go<s1, float>("surf1", surf(a), spread(-10, 80), z, z);
    go<s2, float>("surf2", surf(b), spread(0, 63.9f), spread(0, 47.9f), z);
    go<s2z, float>("surf2_zero", surf(b), spread(-10, 80), spread(-10, 60), z);
    go<s2c, float>("surf2_clamp", surf(b), spread(-10, 80), spread(-10, 60), z);
    go<s2c, float4>("surf2_clamp_f4", surf(b4), spread(-10, 80), spread(-10, 60), z);
    go<s2z, float4>("surf2_f4", surf(b4), spread(-10, 80), spread(-10, 60), z);
    go<s2c, unsigned char>("surf2_clamp_uc", surf(bc), spread(-10, 80), spread(-10, 60), z);
    go<s3, float>("surf3", surf(b3), spread(-2, 18), spread(-2, 14), spread(-2, 12));
    auto u = sweep(0, 64), v = spread(-4, 52);
    for (int i = 0; i < N; ++i) {
      u[i] = i % 70 - 3;
      v[i] = i / 70 - 3;
    }
    C(cudaMemcpy(du, u.data(), 4 * N, cudaMemcpyHostToDevice));
    C(cudaMemcpy(dv, v.data(), 4 * N, cudaMemcpyHostToDevice));
    std::vector<float> q(4 * N);
    fill(q);
    C(cudaMemcpy(dres, q.data(), 16 * N, cudaMemcpyHostToDevice));
    put<float><<<N / 128, 128>>>(surf(b), du, dv, (float*)dres, 0);
    C(cudaDeviceSynchronize());
    put<float4><<<N / 128, 128>>>(surf(b4), du, dv, (float4*)dres, 0);
    C(cudaDeviceSynchronize());
    put<unsigned char><<<N / 128, 128>>>(surf(bc), du, dv, (unsigned char*)dres, 0);
    C(cudaDeviceSynchronize());
    put<float><<<N / 128, 128>>>(surf(a), du, dv, (float*)dres, 1);
    C(cudaDeviceSynchronize());
    go<s2z, float>("written_f", surf(b), u, v, z);
    go<s2z, float4>("written_f4", surf(b4), u, v, z);
    go<s2z, unsigned char>("written_uc", surf(bc), u, v, z);
    go<s1, float>("written_1d", surf(a), spread(-2, 66), z, z);
    go<t2, float>("written_tex", tex(b, cudaAddressModeClamp, true, false, false), spread(0, 64),
                  spread(0, 48), z);
  }
  if (out != nullptr) fclose(out);
  return 0;
}
