// Compares lines and server-sent events of a chunked body with splitting each chunk's text, in one
// run.
//
// swift run -c release --package-path Benchmarks lines-benchmark
import CAllocations
import Foundation
import Measuring

/// The body in chunks of 16 KiB.
func chunks(of body: Data) -> [Data] {
  stride(from: 0, to: body.count, by: 16 << 10).map {
    Data(body[$0..<min($0 + (16 << 10), body.count)])
  }
}

/// Returns the median of the times for a body, in seconds.
func seconds(rounds: Int, _ work: () throws -> Int) rethrows -> Double {
  let clock = ContinuousClock()
  let times = try (0..<rounds).map { _ in try clock.measure { _ = try work() } / .seconds(1) }
  return times.sorted()[rounds / 2]
}

/// Returns the number of allocations for each value, or a dash if they cannot be counted here.
func allocations(of contest: Contest, _ pieces: [Data]) throws -> String {
  guard allocations_countable() else { return "–" }
  allocations_start()
  _ = try contest.own(pieces)
  return (Double(allocations_stop()) / Double(contest.count)).significant
}

func table() throws -> [String] {
  var rows = [
    markdownRow(["body", "RESTKit", "each", "allocations", "by hand", "ratio", "goal"]),
    markdownRow(["---", "--:", "--:", "--:", "--:", "--:", "---"]),
  ]
  for contest in Contest.all {
    let pieces = chunks(of: contest.body)
    guard try contest.own(pieces) == contest.peer(pieces) else {
      throw Unsound("the two results differ for \(contest.title)")
    }
    let own = try seconds(rounds: 11) { try contest.own(pieces) }
    let peer = seconds(rounds: 3) { contest.peer(pieces) }
    let speed = Double(contest.body.count) / own / 1e6
    rows.append(
      markdownRow([
        contest.title, "\(speed.significant) MB/s",
        "\((own / Double(contest.count) * 1e9).significant) ns",
        try allocations(of: contest, pieces),
        "\((Double(contest.body.count) / peer / 1e6).significant) MB/s",
        "\((peer / own).significant) ×", met([("≥ 300 MB/s", speed >= 300)]),
      ]))
    say("\(contest.title): \(speed.significant) MB/s, \((peer / own).significant) ×")
  }
  return rows
}

await TableBenchmark.run("lines-benchmark", makeTable: table)
