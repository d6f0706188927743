#if defined(__linux__)
#define _GNU_SOURCE

#include "CCurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// struct CURLMsg: https://curl.se/libcurl/c/curl_multi_info_read.html
struct message {
  int kind;
  void *easy;
  union {
    void *whatever;
    int code;
  } data;
};

enum { message_done = 1 };

// The head of struct curl_version_info_data, there since its first edition; `now` asks for no more
// than that edition (https://curl.se/libcurl/c/curl_version_info.html).
struct version_info {
  int age;
  const char *version;
  unsigned int version_number;
  const char *host;
  int features;
  const char *tls;
};

enum { version_first = 0, global_default = 3 };

static struct ccurl_api table;
static int (*easy_setopt)(void *easy, int option, ...);
static int (*easy_getinfo)(void *easy, int info, ...);
static int (*multi_setopt)(void *multi, int option, ...);
static int (*share_setopt)(void *share, int option, ...);
static struct message *(*multi_info_read)(void *multi, int *left);

// https://docs.openssl.org/3.0/man3/SSL_CTX_set_msg_callback/, the same since OpenSSL 0.9.7; NULL where
// the TLS library is another one.
typedef void (*message_callback)(
    int is_written, int version, int kind, const void *bytes, size_t count, void *ssl, void *context);
static void (*tls_set_message_callback)(void *tls_context, message_callback callback);
static long (*tls_control)(void *tls_context, int command, long number, void *pointer);
enum { tls_set_message_context = 16, tls_alert = 21, tls_close_notify = 0 };

// https://docs.openssl.org/3.0/man3/SSL_CTX_sess_set_get_cb/ and …/SSL_SESSION_free/, since OpenSSL 1.1.1;
// all of them or none.
typedef int (*session_callback)(void *ssl, void *session);
static session_callback (*tls_session_callback)(void *tls_context);
static void (*tls_set_session_callback)(void *tls_context, session_callback callback);
static void *(*tls_session_copy)(void *session);
static void (*tls_session_free)(void *session);
// https://docs.openssl.org/3.0/man3/SSL_CTX_set_alpn_select_cb/, since OpenSSL 1.0.2; or NULL.
static void (*tls_chosen_protocol)(const void *ssl, const unsigned char **name, unsigned int *length);

// struct curl_tlssessioninfo: https://curl.se/libcurl/c/CURLINFO_TLS_SSL_PTR.html
struct tls_session_info {
  int backend;
  void *internals;
};

enum { backend_openssl = 1 };
/// libcurl's own; another one, as for HTTP/3, is left as it is.
static _Atomic(session_callback) keep_session;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable;
static char failure[256];

#if defined(RESTKIT_LINKED_CURL)

// Linked with the program (trait LinkedCurl), so that a static one has it: the linker finds what dlsym
// finds elsewhere. The slots know the types of the functions.
typedef void (*function)(void);
#define FUNCTIONS(EACH) \
  EACH(curl_global_init) EACH(curl_version_info) EACH(curl_easy_init) EACH(curl_easy_reset) \
  EACH(curl_easy_cleanup) EACH(curl_easy_strerror) EACH(curl_easy_pause) EACH(curl_easy_setopt) \
  EACH(curl_easy_getinfo) EACH(curl_slist_append) EACH(curl_slist_free_all) EACH(curl_url) \
  EACH(curl_url_cleanup) EACH(curl_url_set) EACH(curl_multi_init) EACH(curl_multi_cleanup) \
  EACH(curl_multi_add_handle) EACH(curl_multi_remove_handle) EACH(curl_multi_socket_action) \
  EACH(curl_multi_socket_all) EACH(curl_multi_timeout) \
  EACH(curl_multi_strerror) EACH(curl_multi_setopt) EACH(curl_multi_info_read) \
  EACH(curl_share_init) EACH(curl_share_setopt) EACH(curl_share_cleanup)
#define DECLARE(name) extern void name(void);
FUNCTIONS(DECLARE)
// There where the TLS library is OpenSSL.
extern void SSL_CTX_set_msg_callback(void) __attribute__((weak));
extern void SSL_CTX_ctrl(void) __attribute__((weak));
extern void SSL_CTX_sess_get_new_cb(void) __attribute__((weak));
extern void SSL_CTX_sess_set_new_cb(void) __attribute__((weak));
extern void SSL_SESSION_dup(void) __attribute__((weak));
extern void SSL_SESSION_free(void) __attribute__((weak));
extern void SSL_get0_alpn_selected(void) __attribute__((weak));

static void *open_library(void) {
  static char linked;
  table.library = "libcurl, linked";
  return &linked;
}

static int resolve_any(void *library, function symbol, void *slot) {
  (void)library;
  *(function *)slot = symbol;
  return symbol != NULL;
}

#define resolve(library, name, slot) resolve_any(library, name, slot)
#define look_up(library, name, slot) resolve_any(library, name, slot)

#else

static void *open_library(void) {
  // Not libcurl-nss.so.4: what one transport trusts, NSS has the whole process trust.
  static const char *const names[] = {"libcurl.so.4", "libcurl.so", "libcurl-gnutls.so.4"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    table.library = names[i];
  }
  if (library == NULL) {
    const char *reason = dlerror();
    snprintf(
      failure, sizeof failure, "libcurl.so.4 cannot be opened: %s",
      reason == NULL ? "no reason given" : reason);
  }
  return library;
}

// POSIX asks for this detour: ISO C has no conversion from an object pointer to a function pointer.
static int look_up_named(void *library, const char *name, void *slot) {
  *(void **)slot = dlsym(library, name);
  return *(void **)slot != NULL;
}

static int resolve_named(void *library, const char *name, void *slot) {
  if (look_up_named(library, name, slot)) {
    return 1;
  }
  snprintf(failure, sizeof failure, "the system's libcurl has no %s", name);
  return 0;
}

#define resolve(library, name, slot) resolve_named(library, #name, slot)
#define look_up(library, name, slot) look_up_named(library, #name, slot)

#endif

// Through libcurl, which has opened the TLS library that it speaks to.
static void find_openssl(void *library) {
  static const char name[] = "OpenSSL/";
  if (table.tls == NULL || strncmp(table.tls, name, sizeof name - 1) != 0) {
    return;
  }
  if (!look_up(library, SSL_CTX_set_msg_callback, &tls_set_message_callback)
      || !look_up(library, SSL_CTX_ctrl, &tls_control)) {
    tls_set_message_callback = NULL;
  }
  if (!look_up(library, SSL_CTX_sess_get_new_cb, &tls_session_callback)
      || !look_up(library, SSL_CTX_sess_set_new_cb, &tls_set_session_callback)
      || !look_up(library, SSL_SESSION_dup, &tls_session_copy)
      || !look_up(library, SSL_SESSION_free, &tls_session_free)) {
    tls_session_callback = NULL;
  }
  if (!look_up(library, SSL_get0_alpn_selected, &tls_chosen_protocol)) {
    tls_chosen_protocol = NULL;
  }
}

static void load(void) {
  void *library = open_library();
  if (library == NULL) {
    return;
  }
  int (*global_init)(long flags);
  struct version_info *(*version_info)(int age);
  if (!resolve(library, curl_global_init, &global_init)
      || !resolve(library, curl_version_info, &version_info)
      || !resolve(library, curl_easy_init, &table.easy_init)
      || !resolve(library, curl_easy_reset, &table.easy_reset)
      || !resolve(library, curl_easy_cleanup, &table.easy_cleanup)
      || !resolve(library, curl_easy_strerror, &table.easy_strerror)
      || !resolve(library, curl_easy_pause, &table.easy_pause)
      || !resolve(library, curl_easy_setopt, &easy_setopt)
      || !resolve(library, curl_easy_getinfo, &easy_getinfo)
      || !resolve(library, curl_slist_append, &table.slist_append)
      || !resolve(library, curl_slist_free_all, &table.slist_free_all)
      || !resolve(library, curl_url, &table.url_init)
      || !resolve(library, curl_url_cleanup, &table.url_cleanup)
      || !resolve(library, curl_url_set, &table.url_set)
      || !resolve(library, curl_multi_init, &table.multi_init)
      || !resolve(library, curl_multi_cleanup, &table.multi_cleanup)
      || !resolve(library, curl_multi_add_handle, &table.multi_add_handle)
      || !resolve(library, curl_multi_remove_handle, &table.multi_remove_handle)
      || !resolve(library, curl_multi_socket_action, &table.multi_act)
      || !resolve(library, curl_multi_socket_all, &table.multi_act_on_all)
      || !resolve(library, curl_multi_timeout, &table.multi_timeout)
      || !resolve(library, curl_multi_strerror, &table.multi_strerror)
      || !resolve(library, curl_share_init, &table.share_init)
      || !resolve(library, curl_share_setopt, &share_setopt)
      || !resolve(library, curl_share_cleanup, &table.share_cleanup)
      || !resolve(library, curl_multi_setopt, &multi_setopt)
      || !resolve(library, curl_multi_info_read, &multi_info_read)) {
    return;
  }
  const struct version_info *info = version_info(version_first);
  if (info == NULL || info->version_number < CCURL_MINIMUM_VERSION) {
    snprintf(
      failure, sizeof failure, "libcurl 7.68.0 or newer is needed, the system has %s",
      info == NULL ? "an unknown one" : info->version);
    return;
  }
  int code = global_init(global_default);
  if (code != 0) {
    snprintf(failure, sizeof failure, "curl_global_init failed with code %d", code);
    return;
  }
  table.version_number = info->version_number;
  table.version = info->version;
  table.features = info->features;
  table.tls = info->tls;
  find_openssl(library);
  usable = 1;
}

const struct ccurl_api *ccurl_load(const char **error) {
  pthread_once(&once, load);
  if (usable) {
    return &table;
  }
  if (error != NULL) {
    *error = failure;
  }
  return NULL;
}

int ccurl_set_long(void *easy, enum ccurl_option option, long value) {
  return easy_setopt(easy, (int)option, value);
}

int ccurl_set_offset(void *easy, enum ccurl_option option, int64_t value) {
  return easy_setopt(easy, (int)option, value);
}

int ccurl_set_pointer(void *easy, enum ccurl_option option, const void *value) {
  return easy_setopt(easy, (int)option, value);
}

int ccurl_set_string(void *easy, enum ccurl_option option, const char *value) {
  return easy_setopt(easy, (int)option, value);
}

int ccurl_set_list(void *easy, enum ccurl_option option, struct ccurl_slist *value) {
  return easy_setopt(easy, (int)option, value);
}

int ccurl_set_data_callback(void *easy, enum ccurl_option option, ccurl_data_callback value) {
  return easy_setopt(easy, (int)option, value);
}

int ccurl_set_seek_callback(void *easy, ccurl_seek_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_SEEKFUNCTION, value);
}

int ccurl_set_prereq_callback(void *easy, ccurl_prereq_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_PREREQFUNCTION, value);
}

int ccurl_set_debug_callback(void *easy, ccurl_debug_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_DEBUGFUNCTION, value);
}

int ccurl_set_progress_callback(void *easy, ccurl_progress_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_XFERINFOFUNCTION, value);
}

int ccurl_set_socket_callback(void *easy, ccurl_socket_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_SOCKOPTFUNCTION, value);
}

int ccurl_set_lookup_callback(void *easy, ccurl_lookup_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_RESOLVER_START_FUNCTION, value);
}

int ccurl_set_tls_callback(void *easy, ccurl_tls_callback value) {
  return easy_setopt(easy, (int)CCURLOPT_SSL_CTX_FUNCTION, value);
}

int ccurl_watches_tls_ends(void) { return tls_set_message_callback != NULL; }

static void note_message(
    int is_written, int version, int kind, const void *bytes, size_t count, void *ssl,
    void *context) {
  (void)version;
  (void)ssl;
  if (!is_written && kind == tls_alert && count == 2
      && ((const uint8_t *)bytes)[1] == tls_close_notify) {
    *(uint8_t *)context = 1;
  }
}

void ccurl_watch_tls_end(void *tls_context, uint8_t *is_ended) {
  (void)tls_control(tls_context, tls_set_message_context, 0, is_ended);
  tls_set_message_callback(tls_context, note_message);
}

static int keep_session_copy(void *ssl, void *session) {
  session_callback keep = atomic_load_explicit(&keep_session, memory_order_relaxed);
  void *copy = tls_session_copy(session);
  if (copy == NULL) {
    return keep(ssl, session);
  }
  if (!keep(ssl, copy)) {
    tls_session_free(copy);
  }
  return 0;
}

void ccurl_keep_tls_sessions(void *tls_context) {
  if (tls_session_callback == NULL) {
    return;
  }
  session_callback keep = tls_session_callback(tls_context);
  // libcurl keeps none where it was told so.
  if (keep == NULL || keep == keep_session_copy) {
    return;
  }
  session_callback known = NULL;
  if (atomic_compare_exchange_strong(&keep_session, &known, keep) || known == keep) {
    tls_set_session_callback(tls_context, keep_session_copy);
  }
}

int ccurl_share_tls_sessions(void *share) {
  // CURLSHOPT_SHARE and CURL_LOCK_DATA_SSL_SESSION.
  return share_setopt(share, 1, 4);
}

int ccurl_has_chosen_http2(void *easy) {
  const struct tls_session_info *info = NULL;
  if (tls_chosen_protocol == NULL
      || easy_getinfo(easy, (int)CCURLINFO_TLS_SSL_PTR, &info) != 0
      || info == NULL || info->backend != backend_openssl || info->internals == NULL) {
    return 0;
  }
  const unsigned char *name = NULL;
  unsigned int length = 0;
  tls_chosen_protocol(info->internals, &name, &length);
  return length == 2 && memcmp(name, "h2", 2) == 0;
}

int ccurl_multi_set_long(void *multi, enum ccurl_multi_option option, long value) {
  return multi_setopt(multi, (int)option, value);
}

long ccurl_get_long(void *easy, enum ccurl_info info) {
  long value = 0;
  return easy_getinfo(easy, (int)info, &value) == 0 ? value : 0;
}

int64_t ccurl_get_offset(void *easy, enum ccurl_info info) {
  int64_t value = 0;
  return easy_getinfo(easy, (int)info, &value) == 0 ? value : 0;
}

void *ccurl_get_pointer(void *easy, enum ccurl_info info) {
  void *value = NULL;
  return easy_getinfo(easy, (int)info, &value) == 0 ? value : NULL;
}

void *ccurl_multi_next_finished(void *multi, int *code) {
  int left = 0;
  for (;;) {
    const struct message *next = multi_info_read(multi, &left);
    if (next == NULL) {
      return NULL;
    }
    if (next->kind == message_done) {
      *code = next->data.code;
      return next->easy;
    }
  }
}

int ccurl_multi_set_callbacks(
    void *multi, ccurl_interest_callback interest, ccurl_timer_callback timer, void *context) {
  int code = multi_setopt(multi, (int)CCURLMOPT_SOCKETFUNCTION, interest);
  if (code == 0) code = multi_setopt(multi, (int)CCURLMOPT_SOCKETDATA, context);
  if (code == 0) code = multi_setopt(multi, (int)CCURLMOPT_TIMERFUNCTION, timer);
  if (code == 0) code = multi_setopt(multi, (int)CCURLMOPT_TIMERDATA, context);
  return code;
}

int ccurl_bell_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void ccurl_bell_ring(int bell) {
  // It can only fail when the count is full, and then the sleeper is woken anyway.
  (void)eventfd_write(bell, 1);
}

void ccurl_bell_close(int bell) { close(bell); }

void ccurl_name_thread(const char *name) {
  (void)pthread_setname_np(pthread_self(), name);
}

static _Thread_local uintptr_t loop_of_thread;

void ccurl_set_loop(uintptr_t loop) { loop_of_thread = loop; }

uintptr_t ccurl_loop(void) { return loop_of_thread; }

// No socket has this number.
static const uint64_t the_bell = UINT64_MAX;

static uint64_t name_of(int socket, uint32_t mark) { return (uint64_t)mark << 32 | (uint32_t)socket; }

int ccurl_watch_open(int bell) {
  int watch = epoll_create1(EPOLL_CLOEXEC);
  if (watch < 0) {
    return -1;
  }
  // By edge, so that nobody has to read what was rung.
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = the_bell};
  if (epoll_ctl(watch, EPOLL_CTL_ADD, bell, &event) != 0) {
    int reason = errno;
    close(watch);
    errno = reason;
    return -1;
  }
  return watch;
}

int ccurl_watch_set(int watch, int socket, int interest, uint32_t *mark) {
  struct epoll_event event = {.data.u64 = name_of(socket, *mark)};
  if (interest & CCURL_WATCH_IN) event.events |= EPOLLIN;
  if (interest & CCURL_WATCH_OUT) event.events |= EPOLLOUT;
  // A socket that was closed has left the watch, and its number may be that of another one.
  if (epoll_ctl(watch, EPOLL_CTL_MOD, socket, &event) == 0) {
    return 0;
  }
  *mark += 1;
  event.data.u64 = name_of(socket, *mark);
  return errno == ENOENT && epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : -1;
}

int ccurl_watch_forget(int watch, int socket) {
  return epoll_ctl(watch, EPOLL_CTL_DEL, socket, NULL);
}

int ccurl_watch_wait(int watch, struct ccurl_ready *ready, int most, int milliseconds) {
  struct epoll_event events[CCURL_WATCH_MOST];
  int seen = epoll_wait(watch, events, most < CCURL_WATCH_MOST ? most : CCURL_WATCH_MOST, milliseconds);
  int count = 0;
  for (int i = 0; i < seen; i++) {
    uint32_t ways = events[i].events;
    if (events[i].data.u64 == the_bell) {
      continue;
    }
    // As libcurl itself reads what poll says: to read tells of an error and of an end.
    ready[count].socket = (int)(uint32_t)events[i].data.u64;
    ready[count].mark = (uint32_t)(events[i].data.u64 >> 32);
    ready[count].ways = (ways & (EPOLLIN | EPOLLERR | EPOLLHUP) ? CCURL_WATCH_IN : 0)
                        | (ways & EPOLLOUT ? CCURL_WATCH_OUT : 0);
    count++;
  }
  return seen < 0 && errno != EINTR ? -1 : count;
}

void ccurl_watch_close(int watch) { close(watch); }

void ccurl_close_on_exec(int socket) { (void)fcntl(socket, F_SETFD, FD_CLOEXEC); }

int ccurl_local_port(int socket) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) {
    return -1;
  }
  switch (address.ss_family) {
  case AF_INET:
    return ntohs(((const struct sockaddr_in *)&address)->sin_port);
  case AF_INET6:
    return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
  default:
    return -1;
  }
}

uint64_t ccurl_socket_identity(int socket) {
  struct stat status;
  return fstat(socket, &status) == 0 && S_ISSOCK(status.st_mode) ? (uint64_t)status.st_ino : 0;
}

int ccurl_is_silent(int socket) {
  char byte;
  ssize_t count;
  do {
    count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void ccurl_block_sigpipe(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

#else

// An empty translation unit is not ISO C.
typedef int ccurl_is_empty_here;

#endif
