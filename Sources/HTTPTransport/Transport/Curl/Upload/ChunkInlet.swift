#if os(Linux)
  import Foundation
  import Streams

  /// One subscription to the chunks of a body, shared by the thread that delivers them and the
  /// thread that sends them.
  final class ChunkInlet: Subscriber {
    enum Next {
      case chunk(Data)
      case nothingYet
      case finished
      case failed(any Error)
    }

    private struct State {
      var subscription: (any Subscription)?
      var chunks = FIFO<Data>()
      var end: Subscribers.Completion<any Error>?
      /// The number of chunks to request: two ahead, then one for each that was taken.
      var owed = 2
      var isAwaited = false
      var isClosed = false

      mutating func takeDemand() -> (any Subscription, Subscribers.Demand)? {
        guard owed > 0, let subscription else { return nil }
        defer { owed = 0 }
        return (subscription, .max(owed))
      }

      /// Returns whether the sender waits, and must be notified once.
      mutating func takeAwaited() -> Bool {
        defer { isAwaited = false }
        return isAwaited
      }
    }

    private let state = Lock(State())
    private let asking = Trampoline()
    private let onReady: @Sendable () -> Void

    init(onReady: @escaping @Sendable () -> Void) {
      self.onReady = onReady
    }

    // MARK: The sending side

    /// Returns the next chunk.
    ///
    /// `ask` then requests another one.
    func next() -> Next {
      state.withLock { state in
        if let chunk = state.chunks.popFirst() {
          state.owed += 1
          return .chunk(chunk)
        }
        switch state.end {
        case .finished: return .finished
        case .failure(let error): return .failed(error)
        case nil:
          state.isAwaited = true
          return .nothingYet
        }
      }
    }

    /// Requests as many chunks as were taken.
    ///
    /// If another thread is already requesting, that thread requests these as well.
    func ask() {
      asking.drain(state, next: { $0.takeDemand() }) { subscription, demand in
        subscription.request(demand)
      }
    }

    /// Ends the subscription, unless the publisher already did.
    func close() {
      // The release of a chunk may run user code.
      let (subscription, released) = state.withLock { state in
        state.isClosed = true
        return (state.subscription.take(), state.chunks.takeAll())
      }
      withExtendedLifetime(released) {}
      subscription?.cancel()
    }

    // MARK: The publisher's side

    func receive(subscription: any Subscription) {
      let isTaken = state.withLock { state in
        guard state.subscription == nil, !state.isClosed else { return false }
        state.subscription = subscription
        return true
      }
      // The first demand is made here, so that a publisher that takes long with it is not called
      // from a second thread.
      if isTaken { ask() } else { subscription.cancel() }
    }

    func receive(_ chunk: Data) -> Subscribers.Demand {
      let isReady = state.withLock { state in
        guard !state.isClosed else { return false }
        state.chunks.append(chunk)
        return state.takeAwaited()
      }
      if isReady { onReady() }
      return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
      let (isReady, released) = state.withLock { state in
        let released = (state.subscription.take(), state.end)
        state.end = completion
        return (state.takeAwaited(), released)
      }
      withExtendedLifetime(released) {}
      if isReady { onReady() }
    }
  }
#endif
