// Measures how the cost of a call grows with callers, hosts and the size of a body, and draws it.
//
// swift run -c release --package-path Benchmarks/HTTP scale-benchmark
import Foundation
import Measuring

func run(_ options: Options) async throws {
  if let point = options.alone, let url = options.url.flatMap({ URL(string: $0) }) {
    let run = PointRun(point: point, server: url, length: options.length)
    let outcome = try JSONEncoder().encode(try await run.outcome())
    print(String(decoding: outcome, as: UTF8.self))
    return
  }
  if options.isCheck || options.isQuick {
    try SelfCheck.run()
    if options.isCheck { return }
  }
  defer { if options.url == nil { ScalePeer.stop() } }
  let peer =
    if let url = options.url { try await ScalePeer(url: url) } else { try await ScalePeer.start() }
  let load = try OtherLoad(server: peer.worker)
  let survey = try Passes(options: options, server: peer.scale).survey()
  let table = ScaleTable(survey: survey, load: try load.sentence()).text
  print(table)
  if let picture = options.picture {
    try Drawing(survey: survey).svg.write(toFile: picture, atomically: true, encoding: .utf8)
  }
  if let document = options.document { try Options.part.replacePart(of: document, by: table) }
}

// libcurl would use a proxy, which cannot reach our loopback.
for name in ["http_proxy", "https_proxy", "all_proxy"] {
  unsetenv(name)
  unsetenv(name.uppercased())
}

let interrupts = ScalePeer.stopsWhenInterrupted(
  unless: CommandLine.arguments.contains { ["--url", "--check"].contains($0) })

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
