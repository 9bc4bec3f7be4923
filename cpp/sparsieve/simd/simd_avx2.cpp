#define SPARSIEVE_ISA avx2
#include "sparsieve/simd/simd_kernels.inl"
