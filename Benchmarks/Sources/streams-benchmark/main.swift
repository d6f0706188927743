// Compares Streams with its peers in one run: time and allocations for each case, and whether the
// goal is met.
//
// swift run -c release --package-path Benchmarks streams-benchmark
import AsyncCases
import BridgeCases
import Cases
import Foundation
import Measuring
import OpenCombineCases
import PlainCases
import StreamsCases

func run(_ options: Options) throws {
  guard SelfTest.countsAllocations() else {
    throw Unsound("the counter misses allocations")
  }
  var stopwatch = Stopwatch()
  if options.isQuick {
    stopwatch.rounds = 3
    stopwatch.shortest = .milliseconds(2)
  }
  var measurements: [Measurement] = []
  for workCase in Case.allCases where options.wants(workCase) {
    say("\(workCase.title) … ", terminator: "")
    let all =
      StreamsContenders.all(for: workCase) + OpenCombineContenders.all(for: workCase)
      + AsyncContenders.all(for: workCase) + BridgeContenders.all(for: workCase)
      + PlainContenders.all(for: workCase)
    var measurement = try stopwatch.measure(workCase, all.filter { options.wants($0.library) })
    measurement.wakeUps = StreamsContenders.wakeUps(for: workCase)
    measurements.append(measurement)
    say(
      Library.allCases.compactMap { library in
        measurement.times[library].map { "\(library.rawValue) \($0.significant)" }
      }.joined(separator: ", "))
  }
  let table = Table(measurements: measurements).text
  print(table)
  if let document = options.document { try Options.part.replacePart(of: document, by: table) }
}

do {
  try run(Options(CommandLine.arguments.dropFirst()))
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
