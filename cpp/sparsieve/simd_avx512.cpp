#define SPARSIEVE_ISA avx512
#include "sparsieve/simd_kernels.inl"
