import Streams

/// The work of a caller for a shared exchange.
protocol SharedWork: Sendable {
  /// Runs when the caller joins an exchange, before it receives its subscription.
  func join()

  /// Makes the exchange, with the context of the first caller.
  ///
  /// It runs on the caller's subscribing thread, after the caller received its subscription.
  func begin() -> AnyPublisher<RESTResponse, any Error>
}

/// The running exchanges, each shared by callers with the same request.
///
/// The first caller of a key begins an exchange. Callers that come before its outcome, a response
/// or a failure, share it. A later caller begins a new one: nothing is stored. A caller that
/// cancels does not affect the others. The cancel of the last caller cancels the exchange.
///
/// Callers receive the outcome where the exchange delivers it, one after another in the order of
/// their arrival, or later where they add demand. ``SharedDelivery`` handles callers that block.
final class SharedExchanges: Sendable {
  private let running = Lock<[SharedRequestKey: SharedExchange]>([:])
  /// The threads for callers behind those that block.
  let threads: DeliveryThreads

  /// - Parameter threads: The threads for callers behind those that block. The default has as many
  ///   as a `CurlTransport` has besides its first.
  init(threads: DeliveryThreads = DeliveryThreads(most: 15)) {
    self.threads = threads
  }

  /// Returns a publisher that joins the exchange of a key on subscription, or begins one.
  ///
  /// - Parameters:
  ///   - patience: The time limits of the caller's own exchange; nil for no limit. The caller does
  ///     not join an exchange that may take longer, but begins one that others may join.
  ///   - work: The caller's work when it joins or begins.
  func response(
    for key: SharedRequestKey, patience: ExchangePatience? = nil, work: some SharedWork
  ) -> AnyPublisher<RESTResponse, any Error> {
    Joining(exchanges: self, key: key, patience: patience, work: work).eraseToAnyPublisher()
  }

  /// Prevents later callers from joining the running exchanges of targets.
  ///
  /// Their present callers receive the outcome.
  func retire(_ targets: [String]) {
    let targets = Set(targets)
    // A URL is parsed without the lock. An exchange that begins meanwhile begins after the change.
    let retired = running.withLock { Array($0.keys) }
      .filter { $0.target.map(targets.contains) ?? false }
    guard !retired.isEmpty else { return }
    let released = running.withLock { running in
      retired.compactMap { running.removeValue(forKey: $0) }
    }
    withExtendedLifetime(released) {}
  }

  /// Prevents later callers from joining any running exchange.
  func retireAll() {
    let released = running.withLock { exchange(&$0, with: [:]) }
    withExtendedLifetime(released) {}
  }

  /// Continues a key's running exchange to its outcome, even if all its callers cancel.
  ///
  /// - Returns: Whether there is an exchange that callers may join.
  func hold(_ key: SharedRequestKey) -> Bool {
    running.withLock { running in
      guard let exchange = running[key] else { return false }
      exchange.hold()
      return true
    }
  }

  /// The number of running exchanges that callers may join.
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
      downstream.receive(subscription: place.caller)
      place.caller.start()
      if place.isFirst { place.exchange.start(work) }
    }
  }

  private struct Place: Sendable {
    let exchange: SharedExchange
    let caller: ResponseSubscription
    let isFirst: Bool
    /// An exchange that can no longer be joined, to be released without the lock.
    var replaced: SharedExchange?
  }

  private func place(
    for subscriber: ResponseSubscription.Downstream, at key: SharedRequestKey,
    patience: ExchangePatience?
  ) -> Place {
    let context = subscriber.context
    return running.withLock { running in
      // Even an empty dictionary takes time to look for a key, and a call is usually alone.
      if !running.isEmpty, let exchange = running[key], exchange.suits(patience) {
        return Place(exchange: exchange, caller: exchange.add(subscriber), isFirst: false)
      }
      let exchange = SharedExchange(key, patience: patience, context: context, in: self)
      let replaced = running.updateValue(exchange, forKey: key)
      return Place(
        exchange: exchange, caller: exchange.add(subscriber), isFirst: true, replaced: replaced)
    }
  }

  /// Returns the callers of an exchange with an outcome; none the second time.
  func takeCallers(of exchange: SharedExchange) -> SharedExchangeCallers {
    running.withLock { running in
      Self.remove(exchange, from: &running)
      return exchange.takeCallers()
    }
  }

  /// Records that a caller of an exchange has cancelled.
  ///
  /// - Returns: Whether no caller is left.
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
