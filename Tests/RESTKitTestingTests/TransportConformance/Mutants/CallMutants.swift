import Dispatch
import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// The life of their calls.
  static let ofCalls: [TransportMutant] = [
    .whole("goes on with a whole response after a cancel", .cancel, hangs: true) {
      $0.response(for: $1).uncanceled()
    },
    .pieces("goes on with pieces after a cancel", .cancel, hangs: true) {
      $0.events(for: $1, body: $2).uncanceled()
    },
    .events("tells of a cancel as of a failure", .cancel) { events in
      events.spoiled(
        Spoiling(cancel: { line in
          line.leave()
          line.end(.failure(BreakError(description: "canceled")))
        }))
    },
    .events("delivers at a cancel what it still has", .cancel) { events in
      events.spoiled(
        Spoiling(
          value: { line, event in
            line.hold(event)
            return line.send(event)
          },
          cancel: { line in
            line.leave()
            line.sendHeld()
          }))
    },

    keeping(),
    TransportMutant(
      name: "is kept by its calls, which it keeps", rules: [.lifetime], hangs: true
    ) { RingTransport(try correct($0)) },
    // The request that the kit waits for is never sent.
    TransportMutant(name: "is not kept by its calls", rules: [.lifetime], hangs: true) {
      WeakTransport(try correct($0))
    },

    TransportMutant("gives callers at the same time one response", [.crowd]) { inner in
      let running = Lock<WholeExchange?>(nil)
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        Deferred {
          running.withLock { known in
            if let known { return known }
            let exchange = inner.response(for: request)
              .handleEvents(receiveCompletion: { _ in running.withLock { $0 = nil } })
              .share().eraseToAnyPublisher()
            known = exchange
            return exchange
          }
        }.eraseToAnyPublisher()
      }
      return spoiled
    },
    TransportMutant("refuses a call while two others run", [.crowd]) { inner in
      let running = Lock(0)
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        Deferred { () -> WholeExchange in
          let count = running.withLock { count in
            count += 1
            return count
          }
          guard count <= 3 else {
            running.withLock { $0 -= 1 }
            return Fail(error: BreakError(description: "too many calls")).eraseToAnyPublisher()
          }
          return inner.response(for: request)
            .handleEvents(receiveCompletion: { _ in running.withLock { $0 -= 1 } })
            .eraseToAnyPublisher()
        }.eraseToAnyPublisher()
      }
      return spoiled
    },
    TransportMutant("gives a call the response to the one before", [.crowd, .nesting]) { inner in
      let last = Lock<RESTResponse?>(nil)
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        inner.response(for: request).map { response in
          last.withLock { last in
            defer { last = response }
            return last ?? response
          }
        }.eraseToAnyPublisher()
      }
      return spoiled
    },
  ]

  /// Something keeps it for ever.
  private static func keeping() -> TransportMutant {
    let kept = Lock<[any Transport]>([])
    return TransportMutant("is kept by something else", [.lifetime], hangs: true) { inner in
      kept.withLock { $0.append(inner) }
      return SpoiledTransport(inner)
    }
  }

  /// Where they deliver, and what they hold while they do.
  static let ofDeliveries: [TransportMutant] = [
    .delivering("refuses a call from inside of a delivery", .nesting) { count, exchange in
      count > 0
        ? Fail(error: BreakError(description: "a call is delivered")).eraseToAnyPublisher()
        : exchange
    },
    .delivering("forgets a call from inside of a delivery", .nesting, hangs: true) {
      count, exchange in
      count > 0 ? Empty(completeImmediately: false).eraseToAnyPublisher() : exchange
    },
    TransportMutant("holds a lock while it delivers", [.nesting, .blocking], hangs: true) { inner in
      let lock = PatientLock()
      let holding = Spoiling<RESTResponse>(value: { line, response in
        lock.whileHeld { line.send(response) }
      })
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        Deferred { lock.whileHeld { inner.response(for: request) } }.eraseToAnyPublisher()
          .spoiled(holding)
      }
      spoiled.pieces = { request, body in
        Deferred { lock.whileHeld { inner.events(for: request, body: body) } }
          .eraseToAnyPublisher()
      }
      return spoiled
    },

    TransportMutant("delivers whole responses on one queue", [.blocking], hangs: true) { inner in
      let queue = DispatchQueue(label: "one queue")
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { inner.response(for: $0).receive(on: queue).eraseToAnyPublisher() }
      return spoiled
    },
    TransportMutant("begins a call when the one before has ended", [.blocking], hangs: true) {
      inner in
      let line = CallLine()
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { request, body in
        line.waiting(inner.events(for: request, body: body))
      }
      return spoiled
    },
  ]

  /// It looks at the number of deliveries that run when a call begins.
  private static func delivering(
    _ name: String, _ rules: TransportRule..., hangs: Bool = false,
    by spoil: @escaping @Sendable (Int, WholeExchange) -> WholeExchange
  ) -> TransportMutant {
    TransportMutant(name, rules, hangs: hangs) { inner in
      let count = Lock(0)
      let counted = Spoiling<TransferEvent>(value: { line, event in
        count.withLock { $0 += 1 }
        defer { count.withLock { $0 -= 1 } }
        return line.send(event)
      })
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        Deferred { spoil(count.withLock { $0 }, inner.response(for: request)) }
          .eraseToAnyPublisher()
      }
      spoiled.pieces = { inner.events(for: $0, body: $1).spoiled(counted) }
      return spoiled
    }
  }
}

/// A lock that lets everyone pass after a time, so that no thread waits for ever.
private final class PatientLock: Sendable {
  private let semaphore = DispatchSemaphore(value: 1)

  func whileHeld<Result>(_ body: () -> Result) -> Result {
    let isHeld = semaphore.wait(timeout: .now() + .milliseconds(1_500)) == .success
    defer { if isHeld { semaphore.signal() } }
    return body()
  }
}

/// A line of calls, of which one runs.
private final class CallLine: Sendable {
  private struct State: Sendable {
    var isBusy = false
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Lock(State())

  func waiting(_ exchange: PiecesExchange) -> PiecesExchange {
    let start = PassthroughSubject<Void, any Error>()
    return start.first().flatMap { exchange }
      .handleEvents(
        receiveSubscription: { [self] _ in
          DispatchQueue.global().async { [self] in begin { start.send(()) } }
        },
        receiveCompletion: { [self] _ in end() }
      ).eraseToAnyPublisher()
  }

  private func begin(_ work: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      defer { state.isBusy = true }
      if state.isBusy { state.waiting.append(work) }
      return !state.isBusy
    }
    if isFree { work() }
  }

  private func end() {
    let next: (@Sendable () -> Void)? = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?()
  }
}

/// A transport that its running calls keep for ever.
private final class RingTransport: Transport {
  private let inner: any Transport
  private let calls = Lock<[WholeExchange]>([])

  init(_ inner: any Transport) { self.inner = inner }

  var limits: TransportLimits { inner.limits }

  func response(for request: URLRequest) -> WholeExchange {
    let call = inner.response(for: request).map { [self] response in
      withExtendedLifetime(self) { response }
    }.eraseToAnyPublisher()
    calls.withLock { $0.append(call) }
    return call
  }
}

/// A transport whose calls find it only while something else keeps it.
private final class WeakTransport: Transport {
  private let inner: any Transport

  init(_ inner: any Transport) { self.inner = inner }

  var limits: TransportLimits { inner.limits }

  func response(for request: URLRequest) -> WholeExchange {
    Deferred { [weak self] in
      self?.inner.response(for: request)
        ?? Fail(error: BreakError(description: "no transport")).eraseToAnyPublisher()
    }.eraseToAnyPublisher()
  }
}
