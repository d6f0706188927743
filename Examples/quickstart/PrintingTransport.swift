import RESTKit
import Streams
import Synchronization

/// The default transport, with a line printed for each exchange.
enum PrintingTransport {
  static func make() -> ObservedTransport {
    let answers = EarlierAnswers()
    return ObservedTransport(.shared) { exchange in
      let before = answers.note(exchange)
      print("\(exchange)\(before.map { ", sent again after a \($0)" } ?? "")")
    }
  }
}

/// What was answered before, to say why a request is sent again.
nonisolated private final class EarlierAnswers: Sendable {
  private let statuses = Mutex<[RequestSummary: Int]>([:])

  func note(_ exchange: Exchange) -> Int? {
    guard case .success(let status) = exchange.outcome else { return nil }
    return statuses.withLock { $0.updateValue(status, forKey: exchange.request) }
  }
}
