#!/usr/bin/env bash
# Fuzzes the URL join, the JSON slicer, the places of redirects, dates, Retry-After, lines and events with
# libFuzzer, which the Swift toolchain brings on Linux: Tests/Fuzzing/run.sh [seconds]. Begins with the
# tests' corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
work=.build/fuzzing
mkdir -p "$work/corpus"

# Each line of the corpus is JSON: good enough to begin with, as it is.
for file in Tests/Fixtures/Corpus/*.jsonl; do
  split --lines=1 --suffix-length=4 --additional-suffix=.seed "$file" \
    "$work/corpus/$(basename "$file" .jsonl)-"
done

# Base URLs in their normal form, and nearly so.
printf 'https://api.example.com:8080/v1/a.b' > "$work/corpus/base-1.seed"
printf 'http://h-1:080/./' > "$work/corpus/base-2.seed"

# The three forms of a date, which no line of the corpus has.
printf 'Sun, 06 Nov 1994 08:49:37 GMT' > "$work/corpus/date-1.seed"
printf 'Sunday, 06-Nov-94 08:49:37 GMT' > "$work/corpus/date-2.seed"
printf 'Sun Nov  6 08:49:37 1994, 120' > "$work/corpus/date-3.seed"

# Events with all three ends of lines, and records.
printf 'id: 1\r\ndata: a\rdata: b\n\n: c\n\nretry: 5\r\r' > "$work/corpus/event-1.seed"
printf '\036{"a":[1,\n2]}\n\036"x\\""\n' > "$work/corpus/record-1.seed"

source=Sources/HTTPWire
swiftc -O -swift-version 6 -sanitize=fuzzer,address -parse-as-library -package-name restkit -module-name Harness \
  Tests/Fuzzing/Harness.swift \
  "$source"/JSON/JSON{Envelope,Scanner,Scanner+Strings,SyntaxError}.swift \
  Sources/RESTKit/Lines/{JSONRecords,LineError,LineScanner,ServerSentEvent,ServerSentEventParser}.swift \
  "$source"/Wire/{ASCIIClasses,FieldReader,HTTPDate,RetryAfter}.swift \
  "$source"/Foundation/GregorianCalendar.swift \
  "$source"/Address/{BaseURL,EndpointPath,QueryItems,ResourcePath,URLJoinError}.swift \
  "$source"/Address/RedirectTarget.swift \
  -o "$work/harness" 2> >(grep -v 'Cannot export local symbol' >&2)

cd "$work"
./harness -max_total_time="$seconds" -max_len=4096 corpus
