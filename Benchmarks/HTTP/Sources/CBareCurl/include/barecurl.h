#ifndef BARECURL_H
#define BARECURL_H

#include <stdbool.h>

/// Whether libcurl's headers were there when this was compiled, and its library is now.
bool barecurl_is_there(void);

/// Gets a URL so many times with libcurl's multi interface, on the calling thread.
///
/// At any time `callers` requests run, at most 64, each on an easy handle and a connection that are
/// used again, also by the next run. One thread at a time may call this.
///
/// Returns the number of bytes of all bodies together; -1 if a request fails or a status is not 200.
long barecurl_run(const char *url, int callers, long calls);

#endif
