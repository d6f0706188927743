import Streams

/// The exchanges that are under way, each shared by those who ask for the same while it is.
///
/// The first caller of a key begins an exchange; those who come before its answer share that, be it a
/// response or a failure. Who comes after it begins a new one: nothing is kept. A caller that cancels
/// leaves the others alone; with the last one the exchange is cancelled.
///
/// Callers get the answer where the exchange delivers it, one after another in the order in which they
/// came, or where they ask for it if that is later; ``SharedDelivery`` says what becomes of those behind one who
/// blocks. A key's `==` and `hash` run under the lock, and nothing
/// else that is not of this file's kind.
final class SharedExchanges<Key: Hashable & Sendable>: Sendable {
  private let running = Lock<[Key: SharedExchange<Key>]>([:])

  /// A publisher that joins the exchange of a key when it is subscribed, or begins one.
  ///
  /// - Parameters:
  ///   - patience: For how long the caller would wait for an exchange of his own; nil for any time. He
  ///     joins none that may take longer, and begins one that others may join then.
  ///   - joining: Runs where he joins, before he gets his subscription.
  ///   - begin: Makes the exchange, whose subscriber has the context of who begins it. It runs where he
  ///     subscribes, after he got his subscription.
  func response(
    for key: Key, patience: ExchangePatience? = nil,
    joining: @escaping @Sendable () -> Void = {},
    begin: @escaping @Sendable () -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error> {
    Joining(exchanges: self, key: key, patience: patience, joining: joining, begin: begin)
      .eraseToAnyPublisher()
  }

  /// Lets nobody join exchanges that are under way; those who wait for them get their answers.
  ///
  /// - Parameter isRetired: Says of a key whether its exchange is one of those, with a lock held.
  func retire(where isRetired: (Key) -> Bool) {
    let released = running.withLock { running in
      let retired = running.filter { isRetired($0.key) }
      for key in retired.keys { running[key] = nil }
      return retired
    }
    withExtendedLifetime(released) {}
  }

  /// Lets an exchange of a key that is under way go on to its answer, whoever cancels.
  ///
  /// - Returns: Whether there is one that somebody may join.
  func hold(_ key: Key) -> Bool {
    running.withLock { running in
      guard let exchange = running[key] else { return false }
      exchange.hold()
      return true
    }
  }

  /// How many exchanges are under way that somebody may join.
  var count: Int { running.withLock { $0.count } }

  private struct Joining: Publisher {
    typealias Output = RESTResponse
    typealias Failure = any Error

    let exchanges: SharedExchanges
    let key: Key
    let patience: ExchangePatience?
    let joining: @Sendable () -> Void
    let begin: @Sendable () -> AnyPublisher<RESTResponse, any Error>

    func receive(subscriber: some Subscriber<RESTResponse, any Error>) {
      let downstream = AnySubscriber(subscriber)
      let place = exchanges.place(for: downstream, at: key, patience: patience)
      if !place.isFirst { joining() }
      place.caller.start(downstream)
      if place.isFirst { place.exchange.start(begin) }
    }
  }

  private struct Place: Sendable {
    let exchange: SharedExchange<Key>
    let caller: SharedExchangeCaller
    let isFirst: Bool
    /// What nobody can join any more, to be released without the lock.
    var replaced: SharedExchange<Key>?
  }

  private func place(
    for subscriber: SharedExchangeCaller.Downstream, at key: Key, patience: ExchangePatience?
  ) -> Place {
    let context = subscriber.context
    return running.withLock { running in
      if let exchange = running[key], exchange.suits(patience) {
        return Place(exchange: exchange, caller: exchange.add(subscriber), isFirst: false)
      }
      let exchange = SharedExchange(key, patience: patience, context: context, in: self)
      let replaced = running.updateValue(exchange, forKey: key)
      return Place(
        exchange: exchange, caller: exchange.add(subscriber), isFirst: true, replaced: replaced)
    }
  }

  /// Takes those who wait for an exchange that was answered; none the second time.
  func takeCallers(of exchange: SharedExchange<Key>) -> SharedExchangeCallers {
    running.withLock { running in
      Self.remove(exchange, from: &running)
      return exchange.takeCallers()
    }
  }

  /// Notes that a caller of an exchange has gone.
  ///
  /// - Returns: Whether nobody waits for it any more.
  func dropCaller(of exchange: SharedExchange<Key>) -> Bool {
    running.withLock { running in
      guard exchange.dropCaller() else { return false }
      Self.remove(exchange, from: &running)
      return true
    }
  }

  private static func remove(
    _ exchange: SharedExchange<Key>, from running: inout [Key: SharedExchange<Key>]
  ) {
    guard let index = running.index(forKey: exchange.key), running[index].value === exchange
    else { return }
    running.remove(at: index)
  }
}
