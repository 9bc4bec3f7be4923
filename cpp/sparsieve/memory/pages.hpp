// Memory whose place matters: large pages, and vectors that begin at a cache line.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sparsieve {

struct FreePages {
  void operator()(void* block) const { std::free(block); }
};
template <class T>
using Pages = std::unique_ptr<T[], FreePages>;

// Memory for `count` numbers, not initialised. On Linux, blocks of several megabytes are placed in pages of
// two megabytes where the system allows it: jumping from column to column then seldom misses the page
// table.
template <class T>
Pages<T> make_pages(std::size_t count) {
  if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
  const std::size_t bytes = count * sizeof(T) + 1;
  void* block = nullptr;
#if defined(__linux__)
  constexpr std::size_t kPage = std::size_t{1} << 21;
  if (bytes >= 2 * kPage) {
    block = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (block != nullptr) madvise(block, bytes, MADV_HUGEPAGE);  // the system may refuse
  }
#endif
  if (block == nullptr) block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return Pages<T>(static_cast<T*>(block));
}

// An allocator for vectors that begin at a cache line.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kLine));
  }
  void deallocate(T* block, std::size_t) { ::operator delete(block, kLine); }
  bool operator==(const CacheLineAllocator&) const = default;
};

}  // namespace sparsieve
