#define SPARSIEVE_ISA plain
#include "sparsieve/simd_kernels.inl"
