#define SPARSIEVE_ISA plain
#include "sparsieve/simd/simd_kernels.inl"
