/* The kernels are written once, for OpenCL C and for CUDA. These macros are the difference. Blocks
 * have one dimension of threads; a grid has up to two dimensions of blocks.
 *
 * Kernels compare keys of floats, which are integers (impls/shared/float_key.h). So it does not
 * matter how a device treats subnormal numbers. */
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL __kernel void
#define FUNCTION static inline
#define GLOBAL __global
#define SHARED __local
/* The last argument of a kernel, if the launch asks for shared memory. */
#define SHARED_ARGUMENT , __local double *shared
#define USE_SHARED
#define BLOCK ((uint)get_group_id(0))
#define BLOCK_Y ((uint)get_group_id(1))
#define BLOCKS ((uint)get_num_groups(0))
#define THREAD ((uint)get_local_id(0))
#define THREADS ((uint)get_local_size(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define SHARED_AND(place, value) atomic_and(place, value)
#define LOWEST_BIT(word) (31 - clz((word) & (0 - (word))))
#define UNROLL
#else
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
#define KERNEL extern "C" __global__ void
#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define SHARED
#define SHARED_ARGUMENT
#define USE_SHARED                                                                                 \
    extern __shared__ double shared_memory[];                                                      \
    double *shared = shared_memory
#define BLOCK (blockIdx.x)
#define BLOCK_Y (blockIdx.y)
#define BLOCKS (gridDim.x)
#define THREAD (threadIdx.x)
#define THREADS (blockDim.x)
#define BARRIER __syncthreads()
#define SHARED_AND(place, value) atomicAnd(place, value)
#define LOWEST_BIT(word) ((uint)__ffs((int)(word)) - 1)
#define UNROLL _Pragma("unroll")
#endif

/* Threads whose accesses to consecutive places are one access of the memory. No kernel needs that
 * they run in step. */
#define WARP 32u

#define KEY_OF_NAN 0x7fffffff

/* The key of a float, given its bits. Keys have the order of the floats; NaN is above all. */
FUNCTION int float_key(uint bits) {
    uint magnitude = bits & 0x7fffffffu;
    int sign = -(int)(bits >> 31);
    return magnitude > 0x7f800000u ? KEY_OF_NAN : ((int)magnitude ^ sign) - sign;
}
