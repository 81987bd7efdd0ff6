// Adds two vectors on the first GPU that is visible, in place of the sample of NVIDIA's image that
// docs/active-checks.yaml runs. Exit code 0: the sums are right.

#include <cstdio>
#include <vector>

namespace {

__global__ void Add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

bool Succeeded(cudaError_t error, const char* what) {
  if (error != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return error == cudaSuccess;
}

bool SumsAreRight() {
  constexpr int kLength = 50'000'000;
  constexpr int kThreads = 256;
  const size_t bytes = kLength * sizeof(float);
  std::vector<float> a(kLength), b(kLength, 1.0f), sum(kLength);
  for (int i = 0; i < kLength; ++i) a[i] = static_cast<float>(i % 1000);

  float *device_a = nullptr, *device_b = nullptr, *device_sum = nullptr;
  if (!Succeeded(cudaMalloc(&device_a, bytes), "cudaMalloc") ||
      !Succeeded(cudaMalloc(&device_b, bytes), "cudaMalloc") ||
      !Succeeded(cudaMalloc(&device_sum, bytes), "cudaMalloc") ||
      !Succeeded(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy") ||
      !Succeeded(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy")) {
    return false;
  }
  Add<<<(kLength + kThreads - 1) / kThreads, kThreads>>>(device_a, device_b, device_sum, kLength);
  if (!Succeeded(cudaGetLastError(), "launch") ||
      !Succeeded(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy")) {
    return false;
  }
  for (int i = 0; i < kLength; ++i) {
    if (sum[i] == a[i] + 1.0f) continue;
    std::fprintf(stderr, "%d: %f is not the sum\n", i, sum[i]);
    return false;
  }
  return true;
}

}  // namespace

int main() { return SumsAreRight() ? 0 : 1; }
