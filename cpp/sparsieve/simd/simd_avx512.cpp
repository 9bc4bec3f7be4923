#define SPARSIEVE_ISA avx512
#include "sparsieve/simd/simd_kernels.inl"
