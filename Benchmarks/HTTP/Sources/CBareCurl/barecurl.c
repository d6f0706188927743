// The least that a program in C does to get a URL many times: what the Swift clients are held to.
//
// The headers may be missing and nothing is linked: the library is opened, as RESTKit does.

#include "barecurl.h"

#include <stddef.h>

#if __has_include(<curl/curl.h>)

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <string.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

enum { most_callers = 64 };

static struct {
  CURLcode (*global_init)(long);
  CURL *(*easy_init)(void);
  CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
  CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
  CURLM *(*multi_init)(void);
  CURLMcode (*multi_add_handle)(CURLM *, CURL *);
  CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
  CURLMcode (*multi_perform)(CURLM *, int *);
  CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd[], unsigned int, int, int *);
  CURLMsg *(*multi_info_read)(CURLM *, int *);
} api;

/// A caller: its handle, and the body that it is getting.
static struct caller {
  CURL *easy;
  size_t length;
  char body[16384];
} callers_of_all[most_callers];

static CURLM *multi;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct caller *caller = context;
  size_t length = size * count;
  if (length > sizeof caller->body - caller->length) return 0;
  memcpy(caller->body + caller->length, bytes, length);
  caller->length += length;
  return length;
}

static bool open_library(void) {
  if (multi != NULL) return true;
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return false;
#define FIND(name) \
  if ((*(void **)&api.name = dlsym(library, "curl_" #name)) == NULL) return false
  FIND(global_init);
  FIND(easy_init);
  FIND(easy_setopt);
  FIND(easy_getinfo);
  FIND(multi_init);
  FIND(multi_add_handle);
  FIND(multi_remove_handle);
  FIND(multi_perform);
  FIND(multi_poll);
  FIND(multi_info_read);
#undef FIND
  if (api.global_init(CURL_GLOBAL_ALL) != CURLE_OK) return false;
  multi = api.multi_init();
  return multi != NULL;
}

bool barecurl_is_there(void) { return open_library(); }

static bool start(struct caller *caller, const char *url) {
  caller->length = 0;
  if (caller->easy == NULL) {
    caller->easy = api.easy_init();
    if (caller->easy == NULL) return false;
    api.easy_setopt(caller->easy, CURLOPT_PRIVATE, caller);
    api.easy_setopt(caller->easy, CURLOPT_NOSIGNAL, 1L);
    api.easy_setopt(caller->easy, CURLOPT_PROXY, "");
    api.easy_setopt(caller->easy, CURLOPT_WRITEFUNCTION, take);
    api.easy_setopt(caller->easy, CURLOPT_WRITEDATA, caller);
  }
  api.easy_setopt(caller->easy, CURLOPT_URL, url);
  return api.multi_add_handle(multi, caller->easy) == CURLM_OK;
}

long barecurl_run(const char *url, int callers, long calls) {
  if (callers > most_callers || !open_library()) return -1;
  long bytes = 0;
  long begun = 0;
  long ended = 0;
  for (; begun < callers && begun < calls; begun++) {
    if (!start(&callers_of_all[begun], url)) return -1;
  }
  while (ended < calls) {
    int running = 0;
    if (api.multi_perform(multi, &running) != CURLM_OK) return -1;
    CURLMsg *message;
    int left = 0;
    bool has_begun = false;
    while ((message = api.multi_info_read(multi, &left)) != NULL) {
      struct caller *caller = NULL;
      long status = 0;
      CURLcode result = message->data.result;
      api.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &caller);
      api.easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
      api.multi_remove_handle(multi, caller->easy);
      if (result != CURLE_OK || status != 200) return -1;
      bytes += (long)caller->length;
      ended++;
      if (begun < calls) {
        if (!start(caller, url)) return -1;
        begun++;
        has_begun = true;
      }
    }
    if (!has_begun && ended < calls) api.multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return bytes;
}

#else

bool barecurl_is_there(void) { return false; }

long barecurl_run(const char *url, int callers, long calls) {
  (void)url;
  (void)callers;
  (void)calls;
  return -1;
}

#endif
