# Datasette over a database of 3,000 packages with a full-text index. Sourced by peers.sh.

datasette=$peers/datasette

datasette_is_running() {
  is_process datasette "$datasette/index.db"
}

datasette_answers() {
  "$environment/bin/python" - "$(setting datasette RESTKIT_DATASETTE_URL)" <<'PYTHON' 2>/dev/null
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/-/versions.json", timeout=2) as response:
    sys.exit(response.status != 200)
PYTHON
}

write_datasette_files() {
  "$environment/bin/python" - "$datasette/index.db" <<'PYTHON'
import sqlite3, sys
names = ["red", "green", "blue", "fast", "slow"]
odd = ["a+b & c=d", "100% of é/ü?", 'a "quoted" #name', "日本語"]
database = sqlite3.connect(sys.argv[1])
database.execute(
    "CREATE TABLE packages"
    " (id INTEGER PRIMARY KEY, name TEXT, summary TEXT, downloads INTEGER, license TEXT)"
)
database.executemany(
    "INSERT INTO packages VALUES (?, ?, ?, ?, ?)",
    (
        (
            n,
            odd[n - 1] if n <= len(odd) else "package-%d" % n,
            "A %s library, and a %s one, number %d" % (names[n % 5], names[n % 3], n),
            n * 7919 % 1000,
            "MIT" if n % 3 else None,
        )
        for n in range(1, 3001)
    ),
)
database.execute(
    "CREATE VIRTUAL TABLE packages_fts"
    ' USING FTS5 (name, summary, content="packages", content_rowid="id")'
)
database.execute("INSERT INTO packages_fts (packages_fts) VALUES ('rebuild')")
database.commit()
PYTHON
}

start_datasette_once() {
  local port
  port=$(free_ports 1)
  rm -rf "$datasette"
  mkdir -p "$datasette"
  write_datasette_files || return 1
  echo "RESTKIT_DATASETTE_URL=http://127.0.0.1:$port" >"$peers/datasette.env"
  run_detached "$environment/bin/datasette" serve "$datasette/index.db" \
    --host 127.0.0.1 --port "$port" --setting max_returned_rows 1000 --setting sql_time_limit_ms 500
  echo "$!" >"$peers/datasette.pid"
  wait_for datasette_answers "$!"
}

start_datasette() {
  if datasette_is_running && datasette_answers; then
    say "datasette runs already"
    return
  fi
  stop_datasette
  start_datasette_once || { stop_datasette && start_datasette_once; } ||
    fail "datasette does not answer, see $log"
}

stop_datasette() {
  if datasette_is_running; then stop_process datasette; fi
  rm -rf "$datasette" "$peers/datasette.pid" "$peers/datasette.env"
}
