// The part of zlib's stable ABI that makes deflate, and undoes it and gzip, reached at run time.
//
// libcurl can undo them too, but takes a body that ends early for a whole one and tells nobody how
// many bytes came for how many it made. zlib is on every machine that has libcurl, which links it.
// The numbers and the struct are those of https://zlib.net/manual.html, unchanged since 1.2.0.

#ifndef CZLIB_H
#define CZLIB_H

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Why `czlib_inflate` or `czlib_deflate` returned.
enum czlib_status {
  CZLIB_MORE = 0,    ///< it wants input, or room for output
  CZLIB_END = 1,     ///< the end of the compressed data, checksum and all
  CZLIB_BROKEN = -1  ///< these are no such data
};

/// The format of the data, as zlib's window bits tell it.
enum czlib_format {
  CZLIB_RAW = -15,  ///< bare deflate (RFC 1951)
  CZLIB_ZLIB = 15,  ///< RFC 1950
  CZLIB_GZIP = 31   ///< RFC 1952
};

struct czlib_stream;

/// Opens zlib on the first call; 1 if there is one, for ever after the same answer. Thread-safe.
int czlib_load(void);

/// A stream to inflate, or NULL when there is no zlib or no memory.
struct czlib_stream *czlib_open(enum czlib_format format);

/// Begins anew with the same format, for the next member of a gzip file; 0 when that fails.
int czlib_reset(struct czlib_stream *stream);

void czlib_close(struct czlib_stream *stream);

/// Inflates as much as fits.
///
/// `*input_count` and `*output_count` are what there is of each, and then what was used of each.
enum czlib_status czlib_inflate(
    struct czlib_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
    size_t *output_count);

/// A stream that makes bare deflate (RFC 1951), or NULL when there is no zlib or no memory.
struct czlib_stream *czlib_open_deflate(void);

void czlib_close_deflate(struct czlib_stream *stream);

/// Deflates as much as fits; with `is_last` it ends the data behind the input, once all of it fits.
///
/// The counts are those of `czlib_inflate`.
enum czlib_status czlib_deflate(
    struct czlib_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
    size_t *output_count, int is_last);

#ifdef __cplusplus
}
#endif

#endif
#endif
