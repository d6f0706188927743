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

enum { most_threads = 2, most_callers = 512, most_places = 100, most_bytes = 128 << 10 };

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
struct place {
  CURL *easy;
  int64_t since;
  size_t length;
  char body[most_bytes];
};

/// What one thread uses.
struct desk {
  CURLM *multi;
  struct place places[most_places];
  /// The places that serve nobody; the one that was left last is the next one taken.
  struct {
    struct place *places[most_places];
    int count;
  } vacant;
  /// Since when callers have been waiting for a place, the first one first.
  struct {
    int64_t since[most_callers];
    int first;
    int count;
  } line;
};

static struct desk desks[most_threads];

static bool is_open;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct place *place = context;
  size_t length = size * count;
  if (length > sizeof place->body - place->length) return 0;
  memcpy(place->body + place->length, bytes, length);
  place->length += length;
  return length;
}

static bool open_library(void) {
  if (is_open) return true;
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
  is_open = true;
  return true;
}

bool barecurl_is_there(void) { return open_library(); }

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static bool open_place(struct desk *desk, struct place *place, const char *authorities, bool shares) {
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
  desk->vacant.places[desk->vacant.count++] = place;
  return true;
}

static void ask(struct desk *desk, int callers) {
  for (int caller = 0; caller < callers; caller++) {
    desk->line.since[(desk->line.first + desk->line.count++) % most_callers] = now();
  }
}

/// Serves those at the head of the line for whom there is a place.
static bool serve(struct desk *desk, const char *url) {
  while (desk->line.count > 0 && desk->vacant.count > 0) {
    struct place *place = desk->vacant.places[--desk->vacant.count];
    place->length = 0;
    place->since = desk->line.since[desk->line.first];
    desk->line.first = (desk->line.first + 1) % most_callers;
    desk->line.count--;
    api.easy_setopt(place->easy, CURLOPT_URL, url);
    if (api.multi_add_handle(desk->multi, place->easy) != CURLM_OK) return false;
  }
  return true;
}

/// The place of a transfer that has ended; NULL where that failed.
static struct place *leave(struct desk *desk, CURLMsg *message) {
  struct place *place = NULL;
  long status = 0;
  CURLcode result = message->data.result;
  api.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &place);
  api.easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
  api.multi_remove_handle(desk->multi, place->easy);
  if (result != CURLE_OK || status != 200) return NULL;
  desk->vacant.places[desk->vacant.count++] = place;
  return place;
}

long barecurl_run(
    int thread, const char *url, const char *authorities, struct barecurl_load load,
    int64_t *nanoseconds) {
  if (thread < 0 || thread >= most_threads || load.callers > most_callers) return -1;
  if (load.places > most_places || !is_open) return -1;
  struct desk *desk = &desks[thread];
  if (desk->multi == NULL && (desk->multi = api.multi_init()) == NULL) return -1;
  desk->vacant.count = 0;
  desk->line.count = 0;
  for (int index = 0; index < load.places; index++) {
    if (!open_place(desk, &desk->places[index], authorities, load.shares)) return -1;
  }
  long bytes = 0;
  long ended = 0;
  long asked = load.callers < load.calls ? load.callers : load.calls;
  ask(desk, (int)asked);
  while (ended < load.calls) {
    int running = 0;
    if (!serve(desk, url) || api.multi_perform(desk->multi, &running) != CURLM_OK) return -1;
    CURLMsg *message;
    int left = 0;
    while ((message = api.multi_info_read(desk->multi, &left)) != NULL) {
      struct place *place = leave(desk, message);
      if (place == NULL) return -1;
      nanoseconds[ended++] = now() - place->since;
      bytes += (long)place->length;
      if (!load.is_together && asked < load.calls) {
        ask(desk, 1);
        asked++;
      }
    }
    if (load.is_together && ended == asked) {
      long rest = load.calls - asked;
      ask(desk, rest < load.callers ? (int)rest : load.callers);
      asked += desk->line.count;
    }
    bool is_served = desk->line.count > 0 && desk->vacant.count > 0;
    if (!is_served && ended < load.calls) api.multi_poll(desk->multi, NULL, 0, 1000, NULL);
  }
  return bytes;
}

#else

bool barecurl_is_there(void) { return false; }

long barecurl_run(
    int thread, const char *url, const char *authorities, struct barecurl_load load,
    int64_t *nanoseconds) {
  (void)thread;
  (void)url;
  (void)authorities;
  (void)load;
  (void)nanoseconds;
  return -1;
}

#endif
