#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdbool.h>

/// Whether this system's allocations can be counted.
bool allocations_countable(void);

/// Sets the count to zero and counts the allocations of all threads from here on.
void allocations_start(void);

/// Stops counting.
///
/// Returns how many allocations there were since the start.
long allocations_stop(void);

#endif
