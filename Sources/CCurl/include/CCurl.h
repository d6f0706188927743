// The part of libcurl's stable ABI that RESTKit uses, reached at run time.
//
// The system's libcurl is opened with dlopen, so nothing is needed to build: no curl header, no
// -dev package, no link flag. What follows is our own minimal statement of the binary interface.
// libcurl promises never to break it within soname 4 (https://curl.se/libcurl/abi.html), so the
// numbers are as good as a header. Each group names the public page it was taken from.

#ifndef CCURL_H
#define CCURL_H

#include "CZlib.h"

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The oldest libcurl this shim accepts: 7.68.0.
#define CCURL_MINIMUM_VERSION 0x074400u
/// 7.80.0, the first with `CURLOPT_PREREQFUNCTION`.
#define CCURL_VERSION_WITH_PREREQ 0x075000u
/// 7.84.0, the first with `CURLINFO_CAINFO`.
#define CCURL_VERSION_WITH_CAINFO_INFO 0x075400u
/// 7.85.0, the first with `CURLOPT_PROTOCOLS_STR`.
#define CCURL_VERSION_WITH_PROTOCOLS_STR 0x075500u

/// Size of the buffer behind `CURLOPT_ERRORBUFFER`
/// (https://curl.se/libcurl/c/CURLOPT_ERRORBUFFER.html).
#define CCURL_ERROR_SIZE 256

// Options of an easy handle: https://curl.se/libcurl/c/curl_easy_setopt.html and one page for each
// option. Base of the number by the type of its argument: long 0, object pointer 10000, function
// pointer 20000, curl_off_t 30000.
enum ccurl_option {
  CCURLOPT_SSLVERSION = 32,
  CCURLOPT_VERBOSE = 41,
  CCURLOPT_NOPROGRESS = 43,
  CCURLOPT_UPLOAD = 46,
  CCURLOPT_NOBODY = 44,
  CCURLOPT_FOLLOWLOCATION = 52,
  CCURLOPT_NETRC = 51,
  CCURLOPT_FRESH_CONNECT = 74,
  CCURLOPT_FORBID_REUSE = 75,
  CCURLOPT_HTTPGET = 80,
  CCURLOPT_HTTP_VERSION = 84,
  CCURLOPT_BUFFERSIZE = 98,
  CCURLOPT_NOSIGNAL = 99,
  CCURLOPT_LOCALPORT = 139,
  CCURLOPT_TIMEOUT_MS = 155,
  CCURLOPT_CONNECTTIMEOUT_MS = 156,
  CCURLOPT_PROTOCOLS = 181,
  CCURLOPT_REDIR_PROTOCOLS = 182,
  CCURLOPT_PATH_AS_IS = 234,
  CCURLOPT_PIPEWAIT = 237,
  CCURLOPT_PROXY_SSLVERSION = 250,
  CCURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
  CCURLOPT_DISALLOW_USERNAME_IN_URL = 278,
  CCURLOPT_HTTP09_ALLOWED = 285,
  CCURLOPT_WRITEDATA = 10001,
  CCURLOPT_URL = 10002,
  CCURLOPT_PROXY = 10004,
  CCURLOPT_READDATA = 10009,
  CCURLOPT_ERRORBUFFER = 10010,
  CCURLOPT_USERAGENT = 10018,
  CCURLOPT_HTTPHEADER = 10023,
  CCURLOPT_SSLCERT = 10025,
  CCURLOPT_KEYPASSWD = 10026,
  CCURLOPT_HEADERDATA = 10029,
  CCURLOPT_CUSTOMREQUEST = 10036,
  CCURLOPT_XFERINFODATA = 10057,
  CCURLOPT_CAINFO = 10065,
  CCURLOPT_SSLKEY = 10087,
  CCURLOPT_DEBUGDATA = 10095,
  CCURLOPT_CAPATH = 10097,
  CCURLOPT_SHARE = 10100,
  CCURLOPT_PRIVATE = 10103,
  CCURLOPT_SSL_CTX_DATA = 10109,
  CCURLOPT_SOCKOPTDATA = 10149,
  CCURLOPT_SEEKDATA = 10168,
  CCURLOPT_PROXYUSERNAME = 10175,
  CCURLOPT_PROXYPASSWORD = 10176,
  CCURLOPT_NOPROXY = 10177,
  CCURLOPT_RESOLVE = 10203,
  CCURLOPT_PINNEDPUBLICKEY = 10230,
  CCURLOPT_UNIX_SOCKET_PATH = 10231,
  CCURLOPT_PROXY_CAINFO = 10246,
  CCURLOPT_PROXY_CAPATH = 10247,
  CCURLOPT_RESOLVER_START_DATA = 10273,
  CCURLOPT_CURLU = 10282,
  CCURLOPT_PREREQDATA = 10313,
  CCURLOPT_PROTOCOLS_STR = 10318,
  CCURLOPT_REDIR_PROTOCOLS_STR = 10319,
  CCURLOPT_WRITEFUNCTION = 20011,
  CCURLOPT_READFUNCTION = 20012,
  CCURLOPT_HEADERFUNCTION = 20079,
  CCURLOPT_DEBUGFUNCTION = 20094,
  CCURLOPT_SSL_CTX_FUNCTION = 20108,
  CCURLOPT_SOCKOPTFUNCTION = 20148,
  CCURLOPT_SEEKFUNCTION = 20167,
  CCURLOPT_XFERINFOFUNCTION = 20219,
  CCURLOPT_RESOLVER_START_FUNCTION = 20272,
  CCURLOPT_PREREQFUNCTION = 20312,
  CCURLOPT_INFILESIZE_LARGE = 30115,
};

// Options of a multi handle: https://curl.se/libcurl/c/curl_multi_setopt.html
enum ccurl_multi_option {
  CCURLMOPT_MAXCONNECTS = 6,
  CCURLMOPT_MAX_HOST_CONNECTIONS = 7,
  CCURLMOPT_SOCKETDATA = 10002,
  CCURLMOPT_TIMERDATA = 10005,
  CCURLMOPT_SOCKETFUNCTION = 20001,
  CCURLMOPT_TIMERFUNCTION = 20004,
};

// The information about a finished transfer: https://curl.se/libcurl/c/curl_easy_getinfo.html
// Base by the type of the answer: char * 0x100000, long 0x200000, pointer 0x400000, curl_off_t 0x600000.
enum ccurl_info {
  CCURLINFO_PRIVATE = 0x100000 + 21,
  CCURLINFO_PRIMARY_IP = 0x100000 + 32,
  CCURLINFO_CAINFO = 0x100000 + 61,
  CCURLINFO_RESPONSE_CODE = 0x200000 + 2,
  CCURLINFO_REQUEST_SIZE = 0x200000 + 12,
  CCURLINFO_HTTP_CONNECTCODE = 0x200000 + 22,
  CCURLINFO_OS_ERRNO = 0x200000 + 25,
  CCURLINFO_NUM_CONNECTS = 0x200000 + 26,
  CCURLINFO_PRIMARY_PORT = 0x200000 + 40,
  CCURLINFO_HTTP_VERSION = 0x200000 + 46,
  CCURLINFO_TLS_SSL_PTR = 0x400000 + 45,
  CCURLINFO_TOTAL_TIME_T = 0x600000 + 50,
  CCURLINFO_NAMELOOKUP_TIME_T = 0x600000 + 51,
  CCURLINFO_CONNECT_TIME_T = 0x600000 + 52,
  CCURLINFO_PRETRANSFER_TIME_T = 0x600000 + 53,
  CCURLINFO_STARTTRANSFER_TIME_T = 0x600000 + 54,
  CCURLINFO_APPCONNECT_TIME_T = 0x600000 + 56,
};

// Results of a transfer: https://curl.se/libcurl/c/libcurl-errors.html
enum ccurl_code {
  CCURLE_OK = 0,
  CCURLE_UNSUPPORTED_PROTOCOL = 1,
  CCURLE_URL_MALFORMAT = 3,
  CCURLE_NOT_BUILT_IN = 4,
  CCURLE_COULDNT_RESOLVE_PROXY = 5,
  CCURLE_COULDNT_RESOLVE_HOST = 6,
  CCURLE_COULDNT_CONNECT = 7,
  CCURLE_WEIRD_SERVER_REPLY = 8,
  CCURLE_HTTP2 = 16,
  CCURLE_PARTIAL_FILE = 18,
  CCURLE_WRITE_ERROR = 23,
  CCURLE_READ_ERROR = 26,
  CCURLE_OUT_OF_MEMORY = 27,
  CCURLE_OPERATION_TIMEDOUT = 28,
  CCURLE_SSL_CONNECT_ERROR = 35,
  CCURLE_ABORTED_BY_CALLBACK = 42,
  CCURLE_BAD_FUNCTION_ARGUMENT = 43,
  CCURLE_GOT_NOTHING = 52,
  CCURLE_SSL_ENGINE_NOTFOUND = 53,
  CCURLE_SSL_ENGINE_SETFAILED = 54,
  CCURLE_SEND_ERROR = 55,
  CCURLE_RECV_ERROR = 56,
  CCURLE_SSL_CERTPROBLEM = 58,
  CCURLE_SSL_CIPHER = 59,
  CCURLE_PEER_FAILED_VERIFICATION = 60,
  CCURLE_BAD_CONTENT_ENCODING = 61,
  CCURLE_SEND_FAIL_REWIND = 65,
  CCURLE_SSL_ENGINE_INITFAILED = 66,
  CCURLE_LOGIN_DENIED = 67,
  CCURLE_SSL_CACERT_BADFILE = 77,
  CCURLE_SSL_SHUTDOWN_FAILED = 80,
  CCURLE_SSL_CRL_BADFILE = 82,
  CCURLE_SSL_ISSUER_ERROR = 83,
  CCURLE_SSL_PINNEDPUBKEYNOTMATCH = 90,
  CCURLE_SSL_INVALIDCERTSTATUS = 91,
  CCURLE_HTTP2_STREAM = 92,
  CCURLE_HTTP3 = 95,
  CCURLE_PROXY = 97,
  CCURLE_SSL_CLIENTCERT = 98,
  CCURLE_TOO_LARGE = 100,
};

// Parts and flags of a parsed URL: https://curl.se/libcurl/c/curl_url_set.html
enum {
  CCURLUPART_URL = 0,
  CCURLU_PATH_AS_IS = 1 << 4,
  CCURLU_DISALLOW_USER = 1 << 5,
};

// Values of options, each from the page of its option.
enum {
  CCURLPROTO_HTTP_AND_HTTPS = 1 | 2,
  CCURL_HTTP_VERSION_1_1 = 2,
  CCURL_HTTP_VERSION_2TLS = 4,
  CCURL_SSLVERSION_TLS1_2 = 6,
  CCURL_SSLVERSION_TLS1_3 = 7,
  CCURL_SEEKFUNC_OK = 0,
  CCURL_SEEKFUNC_FAIL = 1,
  CCURL_PREREQFUNC_OK = 0,
  CCURL_PREREQFUNC_ABORT = 1,
  CCURL_READFUNC_ABORT = 0x10000000,
  CCURL_READFUNC_PAUSE = 0x10000001,
  CCURL_WRITEFUNC_PAUSE = 0x10000001,
  /// Of curl_easy_pause: the response waits.
  CCURLPAUSE_RECV = 1,
  /// Of curl_easy_pause: neither way waits any more.
  CCURLPAUSE_CONT = 0,
  /// Of the debug function: libcurl's own words.
  CCURLINFO_TEXT = 0,
  /// Of the debug function: a line of a head that came in.
  CCURLINFO_HEADER_IN = 1,
  /// Of the debug function: bytes of a body that came in.
  CCURLINFO_DATA_IN = 3,
  CCURL_SOCKOPT_OK = 0,
  CCURL_VERSION_IPV6 = 1 << 0,
  CCURL_VERSION_SSL = 1 << 2,
  CCURL_VERSION_HTTP2 = 1 << 16,
  CCURL_VERSION_UNIX_SOCKETS = 1 << 19,
  CCURL_VERSION_HTTPS_PROXY = 1 << 21,
};

/// One line of a list of headers: https://curl.se/libcurl/c/curl_slist_append.html
struct ccurl_slist;

// The callbacks: https://curl.se/libcurl/c/CURLOPT_WRITEFUNCTION.html, …_READFUNCTION.html,
// …_HEADERFUNCTION.html (the same shape), …_SEEKFUNCTION.html, …_PREREQFUNCTION.html,
// …_DEBUGFUNCTION.html, …_XFERINFOFUNCTION.html, …_SOCKOPTFUNCTION.html,
// …_RESOLVER_START_FUNCTION.html
typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_seek_callback)(void *context, int64_t offset, int origin);
typedef int (*ccurl_prereq_callback)(
    void *context, char *remote_ip, char *local_ip, int remote_port, int local_port);

typedef int (*ccurl_debug_callback)(
    void *easy, int kind, char *bytes, size_t count, void *context);
typedef int (*ccurl_progress_callback)(
    void *context, int64_t down_total, int64_t down, int64_t up_total, int64_t up);
typedef int (*ccurl_socket_callback)(void *context, int socket, int purpose);
typedef int (*ccurl_lookup_callback)(void *resolver, void *reserved, void *context);

/// The opened library. All functions follow libcurl's own rules about threads: a handle belongs to one
/// thread at a time.
struct ccurl_api {
  unsigned int version_number;  ///< 0xMMmmpp
  int features;                 ///< bits of CCURL_VERSION_…
  const char *tls;              ///< "OpenSSL/3.0.19", or NULL without TLS
  const char *version;          ///< "7.88.1"
  const char *library;          ///< the name that dlopen accepted

  void *(*easy_init)(void);
  void (*easy_reset)(void *easy);
  void (*easy_cleanup)(void *easy);
  const char *(*easy_strerror)(int code);
  int (*easy_pause)(void *easy, int bits);
  struct ccurl_slist *(*slist_append)(struct ccurl_slist *list, const char *line);
  void (*slist_free_all)(struct ccurl_slist *list);

  void *(*url_init)(void);
  void (*url_cleanup)(void *url);
  int (*url_set)(void *url, int part, const char *text, unsigned int flags);

  void *(*multi_init)(void);
  int (*multi_cleanup)(void *multi);
  int (*multi_add_handle)(void *multi, void *easy);
  int (*multi_remove_handle)(void *multi, void *easy);
  /// Does what is to be done for one socket, or for what is due (CCURL_SOCKET_TIMEOUT)
  /// (https://curl.se/libcurl/c/curl_multi_socket_action.html).
  int (*multi_act)(void *multi, int socket, int ways, int *running);
  /// The same for all of them.
  int (*multi_act_on_all)(void *multi, int *running);
  /// Milliseconds until something is due; -1 where nothing is.
  int (*multi_timeout)(void *multi, long *milliseconds);
  const char *(*multi_strerror)(int code);

  void *(*share_init)(void);
  int (*share_cleanup)(void *share);
};

/// Opens libcurl on the first call and returns the same table ever after; thread-safe.
/// Returns NULL and sets `*error` (a string that lives for ever) when there is no usable libcurl.
const struct ccurl_api *ccurl_load(const char **error);

// The variadic and the struct-returning calls, as plain functions. To be called only after
// `ccurl_load` gave a table. The setters return libcurl's code, 0 when it is well.
int ccurl_set_long(void *easy, enum ccurl_option option, long value);
int ccurl_set_offset(void *easy, enum ccurl_option option, int64_t value);
int ccurl_set_pointer(void *easy, enum ccurl_option option, const void *value);
int ccurl_set_string(void *easy, enum ccurl_option option, const char *value);
int ccurl_set_list(void *easy, enum ccurl_option option, struct ccurl_slist *value);
int ccurl_set_data_callback(void *easy, enum ccurl_option option, ccurl_data_callback value);
int ccurl_set_seek_callback(void *easy, ccurl_seek_callback value);
int ccurl_set_prereq_callback(void *easy, ccurl_prereq_callback value);
int ccurl_set_debug_callback(void *easy, ccurl_debug_callback value);
int ccurl_set_progress_callback(void *easy, ccurl_progress_callback value);
int ccurl_set_socket_callback(void *easy, ccurl_socket_callback value);
int ccurl_set_lookup_callback(void *easy, ccurl_lookup_callback value);

/// Called with each TLS context that libcurl makes, where the TLS library is OpenSSL; 0 goes on.
/// (https://curl.se/libcurl/c/CURLOPT_SSL_CTX_FUNCTION.html)
typedef int (*ccurl_tls_callback)(void *easy, void *tls_context, void *context);
int ccurl_set_tls_callback(void *easy, ccurl_tls_callback value);

/// Whether the end of a TLS connection can be watched.
int ccurl_watches_tls_ends(void);
/// Has `*is_ended` set to 1 when the peer says that it ends the connection (RFC 8446 §6.1): libcurl
/// takes an end without that word for one with it. The byte must live as long as the context.
void ccurl_watch_tls_end(void *tls_context, uint8_t *is_ended);

/// Has libcurl keep copies of TLS sessions, so that new connections resume them.
///
/// It ends connections without SSL_shutdown (7.88 does so with those of HTTP/2), and OpenSSL then makes
/// the session of that connection useless, the very one that libcurl keeps.
void ccurl_keep_tls_sessions(void *tls_context);

/// Has the handles that use a share keep their TLS sessions there; nonzero where libcurl has no TLS
/// (https://curl.se/libcurl/c/curl_share_setopt.html).
int ccurl_share_tls_sessions(void *share);

/// Whether the handshake of the handle's connection has chosen HTTP/2 (RFC 7301); 0 where the TLS library
/// is not OpenSSL. To be called where the handle has a connection, as in the function before a request.
int ccurl_has_chosen_http2(void *easy);

/// Called when libcurl wants to be told of a socket in other ways than before: CCURL_WATCH_… or
/// CCURL_POLL_REMOVE (https://curl.se/libcurl/c/CURLMOPT_SOCKETFUNCTION.html).
typedef int (*ccurl_interest_callback)(
    void *easy, int socket, int ways, void *context, void *of_socket);
/// Called with the milliseconds after which libcurl has something to do; -1 for nothing
/// (https://curl.se/libcurl/c/CURLMOPT_TIMERFUNCTION.html).
typedef int (*ccurl_timer_callback)(void *multi, long milliseconds, void *context);
int ccurl_multi_set_callbacks(
    void *multi, ccurl_interest_callback interest, ccurl_timer_callback timer, void *context);

int ccurl_multi_set_long(void *multi, enum ccurl_multi_option option, long value);

/// The answer, or 0 when libcurl refuses the question.
long ccurl_get_long(void *easy, enum ccurl_info info);
/// The answer, or 0 when libcurl refuses the question.
int64_t ccurl_get_offset(void *easy, enum ccurl_info info);
/// The answer, or NULL when libcurl refuses the question.
void *ccurl_get_pointer(void *easy, enum ccurl_info info);

/// Takes the next finished transfer off the multi handle: its easy handle and its code, or NULL.
/// (https://curl.se/libcurl/c/curl_multi_info_read.html)
void *ccurl_multi_next_finished(void *multi, int *code);

/// A descriptor that any thread can make ready, or -1 with `errno`.
int ccurl_bell_open(void);
void ccurl_bell_ring(int bell);
void ccurl_bell_close(int bell);

// The sockets of one multi handle, watched by the kernel (epoll), so that a turn costs no more where many
// are open.

enum {
  CCURL_WATCH_IN = 1,
  CCURL_WATCH_OUT = 2,
  CCURL_POLL_REMOVE = 4,
  CCURL_SOCKET_TIMEOUT = -1,
  /// As many as one wait tells of.
  CCURL_WATCH_MOST = 64,
};

/// A socket that is ready, and in which ways.
struct ccurl_ready {
  int socket;
  int ways;
  /// That of the socket when it was watched.
  uint32_t mark;
};

/// A watch that tells of the bell, too, each time that it is rung; -1 with `errno`.
int ccurl_watch_open(int bell);
/// Has the watch tell of a socket, in these ways; -1 with `errno` where it cannot.
///
/// The mark is that of the number's last socket; another socket gets another one.
int ccurl_watch_set(int watch, int socket, int ways, uint32_t *mark);
/// Takes a socket off the watch; -1 with `errno` where it is closed, or not watched.
int ccurl_watch_forget(int watch, int socket);
/// Waits until a socket is ready, the bell was rung or the milliseconds are over: the number of sockets
/// that are ready; -1 with `errno` if that fails.
int ccurl_watch_wait(int watch, struct ccurl_ready *ready, int most, int milliseconds);
void ccurl_watch_close(int watch);

/// Names the calling thread, in 15 bytes at most.
void ccurl_name_thread(const char *name);

/// Notes the loop that the calling thread works for, and tells it; 0 where there is none.
void ccurl_set_loop(uintptr_t loop);
uintptr_t ccurl_loop(void);

/// Keeps a socket from programs that this process starts: a server would not see its end while they run.
void ccurl_close_on_exec(int socket);

/// The local port of a socket of an internet protocol; -1 if it has none.
int ccurl_local_port(int socket);

/// A number that no other open socket of this machine has; 0 where there is no socket.
uint64_t ccurl_socket_identity(int socket);

/// Whether a connection that should be silent is: 1 if nothing is there to be read, 0 if there are
/// bytes, its end or an error. Reads nothing and does not wait.
int ccurl_is_silent(int socket);

/// Blocks SIGPIPE on the calling thread: with CURLOPT_NOSIGNAL libcurl leaves that to its caller
/// (https://curl.se/libcurl/c/CURLOPT_NOSIGNAL.html).
void ccurl_block_sigpipe(void);

#ifdef __cplusplus
}
#endif

#endif
#endif
