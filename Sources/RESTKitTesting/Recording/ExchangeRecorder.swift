import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A world that passes requests on to a server and keeps the exchanges.
final class ExchangeRecorder: StubWorld {
  private let transport: any Transport
  private let bodyLimit: Int
  private let clock: RecordingClock
  private let state = Lock<[RecordedExchange]>([])

  init(_ transport: any Transport, bodyLimit: Int, clock: RecordingClock) {
    self.transport = transport
    self.bodyLimit = bodyLimit
    self.clock = clock
  }

  /// The exchanges, in the order in which they began.
  var exchanges: [RecordedExchange] { state.withLock { $0 } }

  var limits: TransportLimits { transport.limits }

  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error> {
    let note = begin(played, inPieces: false)
    return transport.response(for: played.request).handleEvents(
      receiveOutput: { response in
        note { exchange, _ in
          exchange.head = response.head
          exchange.append(response.data, after: .zero)
          exchange.end = .complete
        }
        played.end(.success(response))
      },
      receiveCompletion: { completion in
        guard case .failure(let error) = completion else { return }
        note { exchange, _ in
          if let unreadable = (error as? RESTError)?.unreadableResponse {
            exchange.head = unreadable.response.head
            exchange.append(unreadable.response.data, after: .zero)
          }
          exchange.end = .failure(error)
        }
        played.end(.failure(error))
      },
      receiveCancel: {
        note { exchange, _ in exchange.cancel() }
        played.cancel()
      }
    )
    .eraseToAnyPublisher()
  }

  func pieces(_ played: PlayedExchange) -> AnyPublisher<TransferEvent, any Error> {
    let note = begin(played, inPieces: true)
    return transport.events(for: played.request).handleEvents(
      receiveOutput: { event in
        note { exchange, wait in
          switch event {
          case .sent: break
          case .head(let head): exchange.head = head
          case .chunk(let chunk): exchange.append(chunk, after: wait)
          }
        }
      },
      receiveCompletion: { completion in
        note { exchange, _ in
          switch completion {
          case .finished: exchange.end = .complete
          case .failure(let error): exchange.end = .failure(error)
          }
        }
      },
      receiveCancel: { note { exchange, _ in exchange.cancel() } }
    )
    .eraseToAnyPublisher()
  }

  private typealias Change = (inout RecordedExchange, _ wait: Duration) -> Void

  /// - Returns: A closure that records the next event of the exchange, with the time since the last
  ///   one.
  private func begin(_ played: PlayedExchange, inPieces: Bool) -> @Sendable (Change) -> Void {
    var exchange = RecordedExchange(
      request: played.request, start: clock.date(), isInPieces: inPieces, limit: bodyLimit)
    exchange.declaredSecrets = played.declaredSecrets
    let start = clock.scheduler.now
    let place = state.withLock { exchanges in
      exchanges.append(exchange)
      return exchanges.count - 1
    }
    let last = Lock(start)
    return { [self] change in
      let now = clock.scheduler.now
      let wait = last.withLock { last in
        defer { last = now }
        return now - last
      }
      state.withLock { exchanges in
        change(&exchanges[place], wait)
        exchanges[place].duration = now - start
      }
    }
  }
}

extension RecordedExchange {
  /// Records a cancel, unless the exchange has ended.
  fileprivate mutating func cancel() {
    if case .pending = end { end = .cancelled }
  }
}

/// The clocks for the dates and times of recorded exchanges.
struct RecordingClock: Sendable {
  var scheduler: any Scheduler = .continuous
  var date: @Sendable () -> Date = { Date() }
}
