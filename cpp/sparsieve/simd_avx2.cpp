#define SPARSIEVE_ISA avx2
#include "sparsieve/simd_kernels.inl"
