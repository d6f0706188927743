#ifndef BARECURL_H
#define BARECURL_H

#include <stdbool.h>
#include <stdint.h>

/// Who asks for the responses, and when.
struct barecurl_load {
  long calls;
  /// How many ask, each for one response at a time; at most 512.
  int callers;
  /// How many of them are served at a time, the others wait in line; on HTTP/1.1 that many connections; at most 100.
  int places;
  /// Whether requests wait for a connection of HTTP/2 that they can share.
  bool shares;
  /// Whether all callers ask at the same time, once the last one has its response.
  bool is_together;
};

/// Whether libcurl's headers were there when this was compiled, and its library is now. Opens it; comes first.
bool barecurl_is_there(void);

/// Gets a URL many times with libcurl's multi interface, on the calling thread.
///
/// Each place has an easy handle, which is used again, as connections are, also by the next run.
///
/// - thread: 0 or 1. Each has places and connections of its own; one thread at a time may use them.
/// - authorities: The PEM file of those whose certificates are good.
/// - nanoseconds: Takes how long each caller waited for each response, `calls` numbers in no order.
///
/// Returns the number of bytes of all bodies together; -1 if a request fails or a status is not 200.
long barecurl_run(
    int thread, const char *url, const char *authorities, struct barecurl_load load,
    int64_t *nanoseconds);

#endif
