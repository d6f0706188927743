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
#include <time.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

enum { most_callers = 64, most_bytes = 128 << 10 };

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

/// A place: its handle, the body that it is getting, and since when the caller has been waiting for it.
static struct place {
  CURL *easy;
  int64_t since;
  size_t length;
  char body[most_bytes];
} places[most_callers];

/// The places that serve nobody; the one that was left last is the next one taken.
static struct {
  struct place *places[most_callers];
  int count;
} vacant;

/// Since when callers have been waiting for a place, the first one first.
static struct {
  int64_t since[most_callers];
  int first;
  int count;
} line;

static CURLM *multi;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct place *place = context;
  size_t length = size * count;
  if (length > sizeof place->body - place->length) return 0;
  memcpy(place->body + place->length, bytes, length);
  place->length += length;
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

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static bool open_place(struct place *place, const char *authorities, bool shares) {
  if (place->easy == NULL) {
    place->easy = api.easy_init();
    if (place->easy == NULL) return false;
    api.easy_setopt(place->easy, CURLOPT_PRIVATE, place);
    api.easy_setopt(place->easy, CURLOPT_NOSIGNAL, 1L);
    api.easy_setopt(place->easy, CURLOPT_PROXY, "");
    api.easy_setopt(place->easy, CURLOPT_WRITEFUNCTION, take);
    api.easy_setopt(place->easy, CURLOPT_WRITEDATA, place);
    // A folder besides would keep libcurl from keeping what it has parsed of the file.
    api.easy_setopt(place->easy, CURLOPT_CAPATH, NULL);
  }
  api.easy_setopt(place->easy, CURLOPT_CAINFO, authorities);
  api.easy_setopt(place->easy, CURLOPT_PIPEWAIT, shares ? 1L : 0L);
  vacant.places[vacant.count++] = place;
  return true;
}

static void ask(int callers) {
  for (int caller = 0; caller < callers; caller++) {
    line.since[(line.first + line.count++) % most_callers] = now();
  }
}

/// Serves those at the head of the line for whom there is a place.
static bool serve(const char *url) {
  while (line.count > 0 && vacant.count > 0) {
    struct place *place = vacant.places[--vacant.count];
    place->length = 0;
    place->since = line.since[line.first];
    line.first = (line.first + 1) % most_callers;
    line.count--;
    api.easy_setopt(place->easy, CURLOPT_URL, url);
    if (api.multi_add_handle(multi, place->easy) != CURLM_OK) return false;
  }
  return true;
}

/// The place of a transfer that has ended; NULL where that failed.
static struct place *leave(CURLMsg *message) {
  struct place *place = NULL;
  long status = 0;
  CURLcode result = message->data.result;
  api.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &place);
  api.easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
  api.multi_remove_handle(multi, place->easy);
  if (result != CURLE_OK || status != 200) return NULL;
  vacant.places[vacant.count++] = place;
  return place;
}

long barecurl_run(
    const char *url, const char *authorities, struct barecurl_load load, int64_t *nanoseconds) {
  if (load.callers > most_callers || load.places > most_callers || !open_library()) return -1;
  vacant.count = 0;
  line.count = 0;
  for (int index = 0; index < load.places; index++) {
    if (!open_place(&places[index], authorities, load.shares)) return -1;
  }
  long bytes = 0;
  long ended = 0;
  long asked = load.callers < load.calls ? load.callers : load.calls;
  ask((int)asked);
  while (ended < load.calls) {
    int running = 0;
    if (!serve(url) || api.multi_perform(multi, &running) != CURLM_OK) return -1;
    CURLMsg *message;
    int left = 0;
    while ((message = api.multi_info_read(multi, &left)) != NULL) {
      struct place *place = leave(message);
      if (place == NULL) return -1;
      nanoseconds[ended++] = now() - place->since;
      bytes += (long)place->length;
      if (!load.is_together && asked < load.calls) {
        ask(1);
        asked++;
      }
    }
    if (load.is_together && ended == asked) {
      long rest = load.calls - asked;
      ask(rest < load.callers ? (int)rest : load.callers);
      asked += line.count;
    }
    bool is_served = line.count > 0 && vacant.count > 0;
    if (!is_served && ended < load.calls) api.multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return bytes;
}

#else

bool barecurl_is_there(void) { return false; }

long barecurl_run(
    const char *url, const char *authorities, struct barecurl_load load, int64_t *nanoseconds) {
  (void)url;
  (void)authorities;
  (void)load;
  (void)nanoseconds;
  return -1;
}

#endif
