// Compares unwrapResultJSON with parsing the body and printing its result again, in one run.
//
// swift run -c release --package-path Benchmarks json-benchmark
import Foundation
import Measuring
import RESTKit
import Streams
import Synchronization

/// Returns the result of the public operator `unwrapResultJSON` for a body.
func unwrapped(_ response: RESTResponse) throws -> Data {
  let slot = Slot()
  _ = Just(response).unwrapResultJSON().sink(
    receiveCompletion: { completion in
      if case .failure(let error) = completion { slot.result.withLock { $0 = .failure(error) } }
    }, receiveValue: { value in slot.result.withLock { $0 = .success(value.data) } })
  return try slot.result.withLock { $0 }.get()
}

/// Returns the same result with Foundation alone: parse, look up the key, print.
func parsedAndPrinted(_ response: RESTResponse) throws -> Data {
  let whole = try JSONSerialization.jsonObject(with: response.data) as? [String: Any]
  return try JSONSerialization.data(withJSONObject: whole?["result"] ?? [:])
}

/// The storage for the results of a pipeline's closures.
final class Slot: Sendable {
  let result = Mutex<Result<Data, any Error>>(.success(Data()))
}

/// Returns the median of the times for a body, in seconds.
func seconds(rounds: Int, atLeast shortest: Duration, _ work: () throws -> Data) rethrows -> Double
{
  let clock = ContinuousClock()
  let once = try clock.measure { _ = try work() }
  let repeats = max(1, Int((shortest / max(once, .nanoseconds(1))).rounded(.up)))
  var times: [Double] = []
  for _ in 0..<rounds {
    let taken = try clock.measure { for _ in 0..<repeats { _ = try work() } }
    times.append(taken / .seconds(1) / Double(repeats))
  }
  return times.sorted()[rounds / 2]
}

func table() throws -> [String] {
  var rows = [
    markdownRow(["body", "bytes", "unwrapResultJSON", "parse and print", "ratio", "goal"]),
    markdownRow(["---", "--:", "--:", "--:", "--:", "---"]),
  ]
  guard let url = URL(string: "https://api.example.com/") else { throw Unsound("no URL") }
  for body in Body.all {
    let response = RESTResponse(
      head: ResponseHead(url: url, statusCode: 200), data: body.data,
      request: RequestSummary(method: .get, url: url))
    let value = try JSONSerialization.jsonObject(with: try unwrapped(response)) as? NSDictionary
    guard
      value == (try JSONSerialization.jsonObject(with: parsedAndPrinted(response)) as? NSDictionary)
    else { throw Unsound("the two results differ for \(body.title)") }
    let own = try seconds(rounds: 11, atLeast: .milliseconds(20)) { try unwrapped(response) }
    let peer = try seconds(rounds: 3, atLeast: .milliseconds(20)) { try parsedAndPrinted(response) }
    let speed = Double(body.data.count) / own / 1e9
    rows.append(
      markdownRow([
        body.title, "\(body.data.count)", "\(speed.significant) GB/s",
        "\((Double(body.data.count) / peer / 1e6).significant) MB/s",
        "\((peer / own).significant) ×",
        body.isTypical ? met([("≥ 1 GB/s", speed >= 1), ("≥ 200 ×", peer / own >= 200)]) : "–",
      ]))
    say("\(body.title): \(speed.significant) GB/s, \((peer / own).significant) ×")
  }
  return rows
}

await TableBenchmark.run("json-benchmark", makeTable: table)
