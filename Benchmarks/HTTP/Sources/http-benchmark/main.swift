// RESTKit's transports beside their peers, in one run: requests a second, processor time and
// allocations for each client, and whether the goal is met.
//
// swift run -c release --package-path Benchmarks/HTTP http-benchmark
import CBareCurl
import Foundation
import Measuring

func measure(_ options: Options, at peer: Peer) async throws -> [Measurement] {
  var stopwatch = Stopwatch()
  if options.isQuick {
    stopwatch.rounds = 3
    stopwatch.length = .milliseconds(100)
  }
  if !barecurl_is_there() {
    say("libcurl in C is not built: its headers were not there (Debian: libcurl4-openssl-dev).")
  }
  let callers = try RESTKitContenders.all(at: peer) + PeerContenders.all(at: peer)
  var measurements: [Measurement] = []
  for workCase in Case.allCases where options.wants(workCase) {
    say("\(workCase.title) … ", terminator: "")
    var measurement = Measurement(workCase: workCase)
    if let count = workCase.callers {
      let contenders =
        workCase == .answeredAtOnce ? RESTKitContenders.answeredAtOnce(at: peer) : callers
      measurement = try await stopwatch.measure(
        workCase, callers: count, contenders.filter { options.wants($0.client) },
        bodyBytes: peer.answer.utf8.count)
    } else {
      measurement.facts = try Alone.facts(of: workCase, at: peer)
    }
    measurements.append(measurement)
    say(
      Client.allCases.compactMap { client in
        measurement.costs[client].map { "\(client.rawValue) \($0.time.significant) µs" }
      }.joined(separator: ", "))
  }
  try await PeerContenders.shutdown()
  return measurements
}

func run(_ options: Options) async throws {
  if let workCase = options.alone, let url = options.url {
    print(try await Alone.run(workCase, at: Peer(url: url)).text)
    return
  }
  guard SelfTest.countsAllocations() else {
    throw Unsound("the counter does not see what is allocated")
  }
  let peer = try options.url.map(Peer.init) ?? Peer.start()
  defer { if options.url == nil { Peer.stop() } }
  let table = Table(measurements: try await measure(options, at: peer)).text
  print(table)
  if let document = options.document { try Options.part.replacePart(of: document, by: table) }
}

// A proxy cannot reach our loopback, and libcurl would ask it.
for name in ["http_proxy", "https_proxy", "all_proxy"] {
  unsetenv(name)
  unsetenv(name.uppercased())
}

let interrupts = Peer.stopsWhenInterrupted(unless: CommandLine.arguments.contains("--url"))

do {
  try await run(Options(CommandLine.arguments.dropFirst()))
} catch let error as BadOption {
  say("\(error.reason)\n\n\(Options.usage)")
  exit(2)
} catch let error as Unsound {
  say("The figures would be worth nothing: \(error.reason)")
  exit(1)
} catch {
  say("\(error)")
  exit(1)
}
