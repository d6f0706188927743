import Streams

/// A record of the actions of subscribers on a source, with their times.
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

  /// Returns the marks that a line of this kind can show.
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

/// The expected actions of subscribers on a source.
///
/// See ``MarblePublisher/subscribed(_:)``.
public struct MarbleSourceExpectation: Sendable {
  let journal: MarbleJournal
  let text: String
  let kind: MarbleDiagram.Kind
}

extension MarblePublisher {
  /// Expects subscriptions (`^`) and cancels (`!`) in these frames.
  ///
  /// All subscriptions are in one line, in the order of time. A subscription that ends by itself
  /// has no `!`.
  public func subscribed(_ diagram: String) -> MarbleSourceExpectation {
    MarbleSourceExpectation(journal: journal, text: diagram, kind: .subscriptions)
  }

  /// Expects requests in these frames: digits and quoted numbers, or `*` for no limit.
  public func asked(_ diagram: String) -> MarbleSourceExpectation {
    MarbleSourceExpectation(journal: journal, text: diagram, kind: .demand)
  }
}
