// Graphs in CSR form: one level of a breadth-first search, PageRank by pull and push, label spreading.
// What a launch writes never steers it: distances and labels are read from one array, written to another.

#include <cstdint>

extern "C" __global__ void bfs_level(const uint32_t* rows, const uint32_t* edges, const uint32_t* distance,
                                     uint32_t* next, uint32_t level, int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n || distance[node] != level) {
    return;
  }
  for (uint32_t i = rows[node]; i < rows[node + 1]; ++i) {
    const uint32_t neighbour = edges[i];
    if (distance[neighbour] > level) {
      next[neighbour] = level + 1;
    }
  }
}

// The frontier as a list; a warp a node.
extern "C" __global__ void bfs_frontier(const uint32_t* rows, const uint32_t* edges, const uint32_t* frontier,
                                        const uint32_t* distance, uint32_t* next, uint32_t level, int size) {
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (at >= size) {
    return;
  }
  const uint32_t node = frontier[at];
  for (uint32_t i = rows[node] + threadIdx.x % 32; i < rows[node + 1]; i += 32) {
    const uint32_t neighbour = edges[i];
    if (distance[neighbour] > level) {
      atomicMin(&next[neighbour], level + 1);
    }
  }
}

extern "C" __global__ void pagerank_pull(const uint32_t* rows, const uint32_t* edges, const float* rank,
                                         const float* share, float* next, int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n) {
    return;
  }
  float sum = 0;
  for (uint32_t i = rows[node]; i < rows[node + 1]; ++i) {
    const uint32_t from = edges[i];
    sum = fmaf(rank[from], share[from], sum);
  }
  next[node] = 0.15F / static_cast<float>(n) + 0.85F * sum;
}

extern "C" __global__ void pagerank_push(const uint32_t* rows, const uint32_t* edges, const float* rank, float* next,
                                         int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n) {
    return;
  }
  const uint32_t first = rows[node];
  const uint32_t end = rows[node + 1];
  const float given = 0.85F * rank[node] / static_cast<float>(end - first + 1);
  for (uint32_t i = first; i < end; ++i) {
    atomicAdd(&next[edges[i]], given);
  }
}

extern "C" __global__ void label_spread(const uint32_t* rows, const uint32_t* edges, const uint32_t* label,
                                        uint32_t* next, int n) {
  for (int node = blockIdx.x * blockDim.x + threadIdx.x; node < n; node += gridDim.x * blockDim.x) {
    uint32_t least = label[node];
    for (uint32_t i = rows[node]; i < rows[node + 1]; ++i) {
      least = min(least, label[edges[i]]);
    }
    next[node] = least;
  }
}
