import RESTKit
import Streams
import Synchronization

/// A factory for the default transport with a printed line for each exchange.
enum PrintingTransport {
  static func make() -> ObservedTransport {
    let answers = EarlierResponses()
    return ObservedTransport(.shared) { exchange in
      let before = answers.note(exchange)
      print("\(exchange)\(before.map { ", sent again after a \($0)" } ?? "")")
    }
  }
}

/// The statuses of earlier responses, which explain why a request is sent again.
nonisolated private final class EarlierResponses: Sendable {
  private let statuses = Mutex<[RequestSummary: Int]>([:])

  func note(_ exchange: Exchange) -> Int? {
    guard case .success(let status) = exchange.outcome else { return nil }
    return statuses.withLock { $0.updateValue(status, forKey: exchange.request) }
  }
}
