// Counts what is allocated, by standing in for the C library's functions.
//
// It counts on demand only: the rounds that are timed pay for one load and a branch.

#include "allocations.h"

// Names the C library, if it is the GNU one.
#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__)

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_bool is_counting;
static atomic_long count;

static inline void note(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note();
  void *found = __libc_memalign(alignment, size);
  if (found == NULL) return ENOMEM;
  *memory = found;
  return 0;
}

bool allocations_countable(void) { return true; }

void allocations_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, true);
}

long allocations_stop(void) {
  atomic_store(&is_counting, false);
  return atomic_load(&count);
}

#else

bool allocations_countable(void) { return false; }
void allocations_start(void) {}
long allocations_stop(void) { return 0; }

#endif
