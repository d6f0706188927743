import Foundation
import RESTKit
import Streams

/// A measurement of the cost of an observed transport without an observer.
enum UnheardLog {
  private static let rounds = 601
  private static let calls = 300

  /// Returns the median difference between the times of the two kinds of call.
  ///
  /// They run in turn, in rounds so short that most of them are not interrupted.
  static func facts(at peer: Peer) -> Facts {
    let answer = Answer(at: peer)
    let plain = PeerAPI(baseURL: peer.url, transport: answer)
    let observed = PeerAPI(baseURL: peer.url, transport: ObservedTransport(answer))
    let differences = (0..<rounds).map { _ in time(observed) - time(plain) }.sorted()
    let median = differences[rounds / 2] / .nanoseconds(1) / Double(calls)
    return Facts([.nanoseconds: Int(median.rounded())])
  }

  private static func time(_ api: PeerAPI) -> Duration {
    ContinuousClock().measure {
      for _ in 0..<calls {
        api.get(endpoint: "json").sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
      }
    }
  }
}
