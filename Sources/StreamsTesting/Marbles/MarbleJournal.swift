import Streams

/// What subscribers did to a source, and when.
final class MarbleJournal: Sendable {
  enum Act: Sendable {
    case subscription
    case cancel
    case request(Subscribers.Demand)
  }

  private let acts = Lock<[(time: Duration, act: Act)]>([])

  func add(_ act: Act, at time: Duration) {
    acts.withLock { $0.append((time, act)) }
  }

  func clear() {
    acts.withLock { $0 = [] }
  }

  /// What a line of this kind can show of it.
  func marks(_ kind: MarbleDiagram.Kind) -> [(time: Duration, mark: MarbleEvent.Mark)] {
    let acts = acts.withLock { $0 }
    return acts.compactMap { time, act in
      switch act {
      case .subscription: kind == .subscriptions ? (time, .subscription) : nil
      case .cancel: kind == .subscriptions ? (time, .cancel) : nil
      case .request(let demand):
        kind == .demand ? (time, demand.max.map { .value(String($0)) } ?? .unlimited) : nil
      }
    }
  }
}

/// What a diagram says that subscribers do to a source; see ``MarblePublisher/subscribed(_:)``.
public struct MarbleSourceExpectation: Sendable {
  let journal: MarbleJournal
  let text: String
  let kind: MarbleDiagram.Kind
}

extension MarblePublisher {
  /// Expects subscriptions in these frames, and cancels: `^` and `!`.
  ///
  /// All subscriptions stand in one line, in the order of time. One that ends by itself has no `!`.
  public func subscribed(_ diagram: String) -> MarbleSourceExpectation {
    MarbleSourceExpectation(journal: journal, text: diagram, kind: .subscriptions)
  }

  /// Expects to be asked for values in these frames: digits and quoted numbers, `*` for no limit.
  public func asked(_ diagram: String) -> MarbleSourceExpectation {
    MarbleSourceExpectation(journal: journal, text: diagram, kind: .demand)
  }
}
