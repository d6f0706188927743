#if defined(__linux__)
#define _GNU_SOURCE

#include "CZlib.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// struct z_stream: https://zlib.net/manual.html#Stream
struct z_stream {
  const uint8_t *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *(*allocate)(void *opaque, unsigned int items, unsigned int size);
  void (*release)(void *opaque, void *address);
  void *opaque;
  int data_type;
  unsigned long checksum;
  unsigned long reserved;
};

struct czlib_stream {
  struct z_stream z;
};

enum { no_flush = 0, finish = 4, ok = 0, stream_end = 1, buffer_error = -5 };

static int (*inflate_init)(struct z_stream *, int window_bits, const char *version, int size);
static int (*inflate_some)(struct z_stream *, int flush);
static int (*inflate_reset)(struct z_stream *);
static int (*inflate_end)(struct z_stream *);
static int (*deflate_init)(
    struct z_stream *, int level, int method, int window_bits, int memory, int strategy,
    const char *version, int size);
static int (*deflate_some)(struct z_stream *, int flush);
static int (*deflate_end)(struct z_stream *);
static const char *(*version)(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable;

#if defined(RESTKIT_LINKED_CURL)

// As libcurl: linked with the program.
typedef void (*function)(void);
extern void zlibVersion(void);
extern void inflateInit2_(void);
extern void inflate(void);
extern void inflateReset(void);
extern void inflateEnd(void);
extern void deflateInit2_(void);
extern void deflate(void);
extern void deflateEnd(void);

static void *open_library(void) {
  static char linked;
  return &linked;
}

static int resolve_any(void *library, function symbol, void *slot) {
  (void)library;
  *(function *)slot = symbol;
  return 1;
}

#define resolve(library, name, slot) resolve_any(library, name, slot)

#else

static void *open_library(void) {
  static const char *const names[] = {"libz.so.1", "libz.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

// POSIX asks for this detour: ISO C has no conversion from an object pointer to a function pointer.
static int resolve_named(void *library, const char *name, void *slot) {
  *(void **)slot = dlsym(library, name);
  return *(void **)slot != NULL;
}

#define resolve(library, name, slot) resolve_named(library, #name, slot)

#endif

static void load(void) {
  void *library = open_library();
  if (library == NULL || !resolve(library, zlibVersion, &version)
      || !resolve(library, inflateInit2_, &inflate_init)
      || !resolve(library, inflate, &inflate_some)
      || !resolve(library, inflateReset, &inflate_reset)
      || !resolve(library, inflateEnd, &inflate_end)
      || !resolve(library, deflateInit2_, &deflate_init)
      || !resolve(library, deflate, &deflate_some)
      || !resolve(library, deflateEnd, &deflate_end)) {
    return;
  }
  // The major version is that of the ABI.
  usable = version()[0] == '1';
}

int czlib_load(void) {
  pthread_once(&once, load);
  return usable;
}

struct czlib_stream *czlib_open(enum czlib_format format) {
  if (!czlib_load()) {
    return NULL;
  }
  struct czlib_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) {
    return NULL;
  }
  if (inflate_init(&stream->z, (int)format, version(), (int)sizeof stream->z) != ok) {
    free(stream);
    return NULL;
  }
  return stream;
}

int czlib_reset(struct czlib_stream *stream) {
  return inflate_reset(&stream->z) == ok;
}

void czlib_close(struct czlib_stream *stream) {
  if (stream != NULL) {
    inflate_end(&stream->z);
    free(stream);
  }
}

// Works on the stream, and tells how much of the input and of the output it has used.
static int work(
    struct czlib_stream *stream, int (*some)(struct z_stream *, int), int flush,
    const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  unsigned int in = *input_count > UINT_MAX ? UINT_MAX : (unsigned int)*input_count;
  unsigned int out = *output_count > UINT_MAX ? UINT_MAX : (unsigned int)*output_count;
  stream->z.next_in = input;
  stream->z.avail_in = in;
  stream->z.next_out = output;
  stream->z.avail_out = out;
  // The end is the end of all input.
  int code = some(&stream->z, in < *input_count ? no_flush : flush);
  *input_count = in - stream->z.avail_in;
  *output_count = out - stream->z.avail_out;
  stream->z.next_in = NULL;
  stream->z.next_out = NULL;
  return code;
}

static enum czlib_status status(int code) {
  if (code == stream_end) {
    return CZLIB_END;
  }
  // Without progress zlib says so, and goes on with more input or room.
  return code == ok || code == buffer_error ? CZLIB_MORE : CZLIB_BROKEN;
}

enum czlib_status czlib_inflate(
    struct czlib_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
    size_t *output_count) {
  return status(work(stream, inflate_some, no_flush, input, input_count, output, output_count));
}

struct czlib_stream *czlib_open_deflate(void) {
  enum { default_level = -1, deflated = 8, raw = -15, default_memory = 8, default_strategy = 0 };
  if (!czlib_load()) {
    return NULL;
  }
  struct czlib_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) {
    return NULL;
  }
  if (deflate_init(
          &stream->z, default_level, deflated, raw, default_memory, default_strategy, version(),
          (int)sizeof stream->z)
      != ok) {
    free(stream);
    return NULL;
  }
  return stream;
}

void czlib_close_deflate(struct czlib_stream *stream) {
  if (stream != NULL) {
    deflate_end(&stream->z);
    free(stream);
  }
}

enum czlib_status czlib_deflate(
    struct czlib_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
    size_t *output_count, int is_last) {
  int flush = is_last ? finish : no_flush;
  return status(work(stream, deflate_some, flush, input, input_count, output, output_count));
}

#else

// An empty translation unit is not ISO C.
typedef int czlib_is_empty_here;

#endif
