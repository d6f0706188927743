import Streams

/// What a caller does about a shared exchange.
protocol SharedWork: Sendable {
  /// Runs where he joins one, before he gets his subscription.
  func join()

  /// Makes the exchange, whose subscriber has the context of who begins it. It runs where he subscribes,
  /// after he got his subscription.
  func begin() -> AnyPublisher<RESTResponse, any Error>
}

/// The exchanges that are under way, each shared by those who ask for the same while it is.
///
/// The first caller of a key begins an exchange; those who come before its answer share that, be it a
/// response or a failure. Who comes after it begins a new one: nothing is kept. A caller that cancels
/// leaves the others alone; with the last one the exchange is cancelled.
///
/// Callers get the answer where the exchange delivers it, one after another in the order in which they
/// came, or where they ask for it if that is later; ``SharedDelivery`` says what becomes of those behind one who
/// blocks.
final class SharedExchanges: Sendable {
  private let running = Lock<[SharedRequestKey: SharedExchange]>([:])

  /// A publisher that joins the exchange of a key when it is subscribed, or begins one.
  ///
  /// - Parameters:
  ///   - patience: For how long the caller would wait for an exchange of his own; nil for any time. He
  ///     joins none that may take longer, and begins one that others may join then.
  ///   - work: What he does where he joins or begins.
  func response(
    for key: SharedRequestKey, patience: ExchangePatience? = nil, work: some SharedWork
  ) -> AnyPublisher<RESTResponse, any Error> {
    Joining(exchanges: self, key: key, patience: patience, work: work).eraseToAnyPublisher()
  }

  /// Lets nobody join exchanges that are under way; those who wait for them get their answers.
  ///
  /// - Parameter isRetired: Says of a key whether its exchange is one of those, with a lock held.
  func retire(where isRetired: (SharedRequestKey) -> Bool) {
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
  func hold(_ key: SharedRequestKey) -> Bool {
    running.withLock { running in
      guard let exchange = running[key] else { return false }
      exchange.hold()
      return true
    }
  }

  /// How many exchanges are under way that somebody may join.
  var count: Int { running.withLock { $0.count } }

  private struct Joining<Work: SharedWork>: Publisher {
    typealias Output = RESTResponse
    typealias Failure = any Error

    let exchanges: SharedExchanges
    let key: SharedRequestKey
    let patience: ExchangePatience?
    let work: Work

    func receive(subscriber: some Subscriber<RESTResponse, any Error>) {
      let downstream = AnySubscriber(subscriber)
      let place = exchanges.place(for: downstream, at: key, patience: patience)
      if !place.isFirst { work.join() }
      place.caller.start(downstream)
      if place.isFirst { place.exchange.start(work) }
    }
  }

  private struct Place: Sendable {
    let exchange: SharedExchange
    let caller: SharedExchangeCaller
    let isFirst: Bool
    /// What nobody can join any more, to be released without the lock.
    var replaced: SharedExchange?
  }

  private func place(
    for subscriber: SharedExchangeCaller.Downstream, at key: SharedRequestKey,
    patience: ExchangePatience?
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
  func takeCallers(of exchange: SharedExchange) -> SharedExchangeCallers {
    running.withLock { running in
      Self.remove(exchange, from: &running)
      return exchange.takeCallers()
    }
  }

  /// Notes that a caller of an exchange has gone.
  ///
  /// - Returns: Whether nobody waits for it any more.
  func dropCaller(of exchange: SharedExchange) -> Bool {
    running.withLock { running in
      guard exchange.dropCaller() else { return false }
      Self.remove(exchange, from: &running)
      return true
    }
  }

  private static func remove(
    _ exchange: SharedExchange, from running: inout [SharedRequestKey: SharedExchange]
  ) {
    guard let index = running.index(forKey: exchange.key), running[index].value === exchange
    else { return }
    running.remove(at: index)
  }
}
