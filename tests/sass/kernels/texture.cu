// Texture fetches and surface accesses of every shape.
template <class T>
__global__ void fetch(T* out, cudaTextureObject_t t, float x, float y, float z) {
  T* o = out + threadIdx.x * 64;
  const int i = int(threadIdx.x);
  o[0] = tex1Dfetch<T>(t, i);
  o[1] = tex1D<T>(t, x);
  o[2] = tex2D<T>(t, x, y);
  o[3] = tex3D<T>(t, x, y, z);
  o[4] = tex1DLayered<T>(t, x, i);
  o[5] = tex2DLayered<T>(t, x, y, i);
  o[6] = texCubemap<T>(t, x, y, z);
  o[7] = texCubemapLayered<T>(t, x, y, z, i);
  o[8] = tex1DLod<T>(t, x, z);
  o[9] = tex2DLod<T>(t, x, y, z);
  o[10] = tex3DLod<T>(t, x, y, z, x);
  o[11] = tex2DGrad<T>(t, x, y, make_float2(x, y), make_float2(y, z));
  o[12] = tex3DGrad<T>(t, x, y, z, make_float4(x, y, z, x), make_float4(z, y, x, x));
  o[13] = tex1DGrad<T>(t, x, y, z);
  o[14] = tex2DLayeredLod<T>(t, x, y, i, z);
  o[15] = texCubemapLod<T>(t, x, y, z, x);
}
template __global__ void fetch<float>(float*, cudaTextureObject_t, float, float, float);
template __global__ void fetch<float2>(float2*, cudaTextureObject_t, float, float, float);
template __global__ void fetch<float4>(float4*, cudaTextureObject_t, float, float, float);
template __global__ void fetch<uchar4>(uchar4*, cudaTextureObject_t, float, float, float);

extern "C" __global__ void gather(float4* out, cudaTextureObject_t t, float x, float y, int* sizes) {
  out[0] = tex2Dgather<float4>(t, x, y, 0);
  out[1] = tex2Dgather<float4>(t, x, y, 1);
  out[2] = tex2Dgather<float4>(t, x, y, 2);
  out[3] = tex2Dgather<float4>(t, x, y, 3);
  int width, height, depth;
  asm volatile("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
  asm volatile("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(t));
  asm volatile("txq.depth.b32 %0, [%1];" : "=r"(depth) : "l"(t));
  sizes[0] = width + height + depth;
  float4 v;
  asm volatile("tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5, %6}];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x), "f"(y));
  out[4] = v;
}

template <class T>
__global__ void surface(T* out, cudaSurfaceObject_t s, int x, int y, int z) {
  T* o = out + threadIdx.x * 16;
  o[0] = surf1Dread<T>(s, x);
  o[1] = surf2Dread<T>(s, x, y);
  o[2] = surf3Dread<T>(s, x, y, z);
  o[3] = surf1DLayeredread<T>(s, x, z);
  o[4] = surf2DLayeredread<T>(s, x, y, z);
  o[5] = surf2Dread<T>(s, x, y, cudaBoundaryModeClamp);
  o[6] = surf2Dread<T>(s, x, y, cudaBoundaryModeZero);
  surf1Dwrite(o[7], s, x);
  surf2Dwrite(o[8], s, x, y);
  surf3Dwrite(o[9], s, x, y, z);
  surf2DLayeredwrite(o[10], s, x, y, z);
  surf2Dwrite(o[11], s, x, y, cudaBoundaryModeClamp);
  surf2Dwrite(o[12], s, x, y, cudaBoundaryModeZero);
}
template __global__ void surface<unsigned char>(unsigned char*, cudaSurfaceObject_t, int, int, int);
template __global__ void surface<short>(short*, cudaSurfaceObject_t, int, int, int);
template __global__ void surface<int>(int*, cudaSurfaceObject_t, int, int, int);
template __global__ void surface<float2>(float2*, cudaSurfaceObject_t, int, int, int);
template __global__ void surface<float4>(float4*, cudaSurfaceObject_t, int, int, int);
