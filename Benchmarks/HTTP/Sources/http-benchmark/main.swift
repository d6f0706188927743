// Compares RESTKit's transports with their peers in one run: processor time, requests a second,
// latency and allocations for each client, and whether the goals are met.
//
// swift run -c release --package-path Benchmarks/HTTP http-benchmark
import CBareCurl
import Foundation
import Measuring

func measure(_ options: Options, at peer: Peer) async throws -> [Measurement] {
  if !barecurl_is_there() {
    say("libcurl in C is not built: its headers were missing (Debian: libcurl4-openssl-dev).")
  }
  let ours = try RESTKitContenders(peer)
  let others = PeerContenders(peer)
  func contenders(at target: Target) -> [Contender] {
    (ours.all(at: target) + others.all(at: target)).filter { options.wants($0.client) }
  }
  var measurements: [Measurement] = []
  for workCase in Case.allCases where options.wants(workCase) {
    say("\(workCase.title) … ", terminator: "")
    var measurement = Measurement(workCase: workCase)
    let begin = try ProcessorTimes.now(server: peer.worker)
    switch workCase {
    case .calls(let traffic):
      try await Versions.check(contenders(at: peer.version(of: traffic)), traffic)
      measurement.costs = try await options.stopwatch(traffic.isShort ? .short : Stopwatch())
        .costs(
          of: contenders(at: peer.target(of: traffic)), callers: traffic.callers,
          isTogether: traffic.isTogether, bodyBytes: peer.bytes(of: traffic.size))
      if workCase.goal.resumed != nil {
        measurement.resumed = try await Resumption.shares(
          of: contenders(at: peer.session(of: traffic)), traffic)
      }
    case .answeredAtOnce:
      let contenders = RESTKitContenders.answeredAtOnce(at: peer)
      measurement.costs = try await options.stopwatch(Stopwatch()).costs(
        of: contenders.filter { options.wants($0.client) }, callers: 1,
        bodyBytes: Peer.answer.utf8.count)
    case .unheardLog, .longRun, .burst, .download, .upload, .slowSubscriber:
      measurement.facts = try Alone.facts(of: workCase, at: peer, isQuick: options.isQuick)
    }
    let end = try ProcessorTimes.now(server: peer.worker)
    measurement.business = Business(others: end.others(since: begin))
    measurements.append(measurement)
    say(
      Client.allCases.compactMap { client in
        measurement.costs[client].map { "\(client.rawValue) \($0.time.significant) µs" }
      }.joined(separator: ", "))
  }
  try await others.shutdown()
  return measurements
}

func run(_ options: Options) async throws {
  if let workCase = options.alone, let url = options.url {
    let peer = try await Peer(url: url)
    print(try await Alone.run(workCase, at: peer, isQuick: options.isQuick).text)
    return
  }
  guard SelfTest.countsAllocations() else {
    throw Unsound("the counter misses allocations")
  }
  defer { if options.url == nil { Peer.stop() } }
  let peer =
    if let url = options.url { try await Peer(url: url) } else { try await Peer.start() }
  let begin = try ProcessorTimes.now(server: peer.worker)
  let measurements = try await measure(options, at: peer)
  let end = try ProcessorTimes.now(server: peer.worker)
  let table = Table(
    measurements: measurements, business: Business(others: end.others(since: begin))
  ).text
  print(table)
  if let document = options.document { try Options.part.replacePart(of: document, by: table) }
}

// libcurl would use a proxy, which cannot reach our loopback.
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
  say("The figures are not valid: \(error.reason)")
  exit(1)
} catch {
  say("\(error)")
  exit(1)
}
