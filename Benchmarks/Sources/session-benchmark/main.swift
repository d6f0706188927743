// Measures the cost of a session for a call, and the time until calls that waited for a refresh
// continue.
//
// swift run -c release --package-path Benchmarks session-benchmark
import Foundation
import Measuring
import RESTKit
import Streams

/// Returns the median times of one call for each work, in seconds.
///
/// The rounds of all works alternate, so that other load on the machine affects all of them.
func medians(of works: [() -> Void], rounds: Int = 41, repeats: Int = 2_000) -> [Double] {
  var times = works.map { _ in [Double]() }
  for _ in 0..<rounds {
    for (index, work) in works.enumerated() {
      let begin = threadTime()
      for _ in 0..<repeats { work() }
      times[index].append((threadTime() - begin) / Double(repeats))
    }
  }
  return times.map { $0.sorted()[rounds / 2] }
}

/// Returns the processor time of this thread, in seconds.
///
/// Nothing here waits, and other processes may use the machine.
func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Makes a call whose response comes at once.
func call(_ publisher: AnyPublisher<RESTResponse, any Error>) {
  _ = publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
}

func costOfAuthorization() throws -> [[String]] {
  let transport = try InstantTransport()
  let api = InstantAPI(transport: transport)
  let session = TokenSession(
    grant: ClosureGrant { _ in Empty<TokenResponse, any Error>() },
    store: MemoryTokenStore(
      Credential(accessToken: "token", expiresAt: Date().addingTimeInterval(3_600))))
  let coalescer = RequestCoalescer()
  let cache = HTTPCache()
  let figures = medians(of: [
    { call(api.get(endpoint: "orders")) },
    {
      call(
        api.get(endpoint: "orders") { $0.addingBearerAuthorization(token: "token") })
    },
    { call(session.authorize(api.get(endpoint: "orders"))) },
    { call(api.get(endpoint: "orders").coalesced(in: coalescer)) },
    { call(api.get(endpoint: "orders").cached(in: cache)) },
  ])
  guard transport.isAuthorized else { throw Unsound("the calls carry no token") }
  let (cost, sharing) = (figures[2] - figures[0], figures[3] - figures[0])
  let hit = figures[4] - figures[0]
  return [
    ["a plain call", "\((figures[0] * 1e6).significant) µs", "–"],
    ["with a token that its modifier puts on", "\((figures[1] * 1e6).significant) µs", "–"],
    ["authorized by a session", "\((figures[2] * 1e6).significant) µs", "–"],
    [
      "the cost of the session", "\((cost * 1e6).significant) µs",
      met([("≤ 2 µs", cost <= 2e-6)]),
    ],
    ["coalesced, with nobody to share with", "\((figures[3] * 1e6).significant) µs", "–"],
    [
      "the cost of `coalesced()` for a call that is alone", "\((sharing * 1e6).significant) µs",
      met([("≤ 2 µs", sharing <= 2e-6)]),
    ],
    ["answered from memory", "\((figures[4] * 1e6).significant) µs", "–"],
    [
      "the cost of a hit above a call that is answered at once", "\((hit * 1e6).significant) µs",
      met([("≤ 3 µs", hit <= 3e-6)]),
    ],
  ]
}

/// Returns the seconds until the last of many calls that waited for one refresh has its response.
func waiters(_ count: Int, for request: AnyPublisher<RESTResponse, any Error>) throws -> Double {
  var times: [Double] = []
  for _ in 0..<11 { times.append(try Crowd(count, request: request).resume()) }
  return times.sorted()[times.count / 2]
}

func costOfWaiting() throws -> [[String]] {
  let transport = try InstantTransport()
  let whole = try waiters(10_000, for: InstantAPI(transport: transport).get(endpoint: "orders"))
  return [
    [
      "10,000 calls that waited for one refresh are sent and answered, in order",
      "\((whole * 1e3).significant) ms",
      met([("< 100 ms", whole < 0.100)]),
    ]
  ]
}

func table() throws -> [String] {
  let header = [
    markdownRow(["what", "time", "goal"]), markdownRow(["---", "--:", "---"]),
  ]
  let rows = try costOfAuthorization() + costOfWaiting()
  for row in rows { say("\(row[0]): \(row[1])") }
  return header + rows.map(markdownRow)
}

await TableBenchmark.run("session-benchmark", makeTable: table)
