import Fixtures
import Foundation
import RESTKit

// The invariants of each request of a call, at the end of a run.
extension World {
  /// - Parameters:
  ///   - name: That of the request; empty where the call has one only.
  ///   - exchanges: All that were sent of it, redirects included, in order.
  ///   - keys: Whose the keys are that were seen so far.
  func faults(
    ofRequest name: String, in call: WorldCall, _ exchanges: [WorldNetwork.RecordedExchange],
    _ keys: inout [String: String]
  ) -> [String] {
    let posts = exchanges.filter { $0.method == "POST" }
    var faults: [String] = []
    if Set(posts.map(\.key)).count > 1 { faults.append("goes out with several keys") }
    for key in Set(posts.compactMap(\.key)).sorted() {
      if let other = keys[key] { faults.append("has the key of \(other)") }
      keys[key] = "call \(call.number) \(name)"
    }
    // Repetitions after another request's 401 are checked where the requests are combined.
    let isRepeatedWithOthers =
      call.kind.pipeline?.request(named: name)?.isRepeatedWithOthers ?? false
    if Self.isKeyless(exchanges) {
      for isHop in [false, true] where !isRepeatedWithOthers {
        let acted = posts.count { $0.isHop == isHop && $0.isProcessed }
        if acted > 1 { faults.append("was acted on \(acted) times without a key") }
      }
    }
    for (before, next) in zip(exchanges, exchanges.dropFirst()) where !next.isHop {
      let isOneRun = before.run == next.run
      if isOneRun, (200..<300).contains(before.status ?? 0) {
        faults.append("is sent again, though it was answered")
      }
      guard isOneRun || !isRepeatedWithOthers, Self.isKeyless(exchanges) else { continue }
      let wasNotActedOn = before.neverArrived && before.delivered != nil
      if before.status != 401, !wasNotActedOn {
        faults.append("is sent again without a key, though it may have been acted on")
      }
    }
    return faults
  }

  /// Whether it is a request that must not be sent twice by itself.
  private static func isKeyless(_ exchanges: [WorldNetwork.RecordedExchange]) -> Bool {
    exchanges.first.map { $0.method == "POST" && $0.key == nil } ?? false
  }

  /// Retries that were not made for the sake of a POST without a key, each beside another one:
  /// where each request has a policy of its own, it must have been its own POST that came to
  /// nothing.
  ///
  /// - Parameters:
  ///   - refusals: How often the log of the call says so.
  ///   - exchanges: All that were sent in the call.
  func faults(
    ofRefusedRetries refusals: Int, in call: WorldCall, _ exchanges: [WorldNetwork.RecordedExchange]
  ) -> [String] {
    guard refusals > 0, let pipeline = call.kind.pipeline, pipeline.whole != .retried else {
      return []
    }
    let setbacks = Dictionary(grouping: exchanges, by: \.name).values
      .filter { Self.isKeyless($0) }
      .reduce(0) { sum, sent in sum + sent.count { $0.status.map { $0 >= 300 } ?? true } }
    guard refusals > setbacks else { return [] }
    return ["\(refusals) retries are refused for POSTs that came to nothing \(setbacks) times"]
  }

  /// Whether what a log says was sent and received is what the network saw.
  ///
  /// - Parameter isInOrder: Whether it is said in that order, and all of it: of requests beside
  ///   each other, one may be answered before the next is sent and heard after it, or not at all.
  static func agrees(_ log: [String], with network: [String], isInOrder: Bool) -> Bool {
    guard !isInOrder else { return log == network }
    var left: [String: Int] = [:]
    for entry in network { left[entry, default: 0] += 1 }
    for entry in log { left[entry, default: 0] -= 1 }
    return left.allSatisfy { entry, count in
      entry.hasPrefix(">") ? count == 0 : count >= 0
    }
  }
}
