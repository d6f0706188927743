import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// The pieces that they deliver, and for which demand.
  static let ofPieces: [TransportMutant] = [
    .events("loses a chunk", .pieces, .beyondLimit) { events in
      events.enumerated().filter { $0.offset != 2 }.map(\.element).eraseToAnyPublisher()
    },
    .events("gives the head again before each chunk", .pieces) { events in
      events.scan((head: TransferEvent?.none, events: [TransferEvent]())) { last, event in
        switch event {
        case .head: (event, [event])
        case .chunk: (last.head, [last.head, event].compactMap { $0 })
        case .sent: (last.head, [event])
        }
      }
      .flatMap { $0.events.publisher.setFailureType(to: (any Error).self) }
      .eraseToAnyPublisher()
    },
    .events("ends a body with an empty chunk", .pieces) { events in
      events.append(TransferEvent.chunk(Data())).eraseToAnyPublisher()
    },
    .events("gives the first chunk before the head", .pieces) { events in
      events.held { line, event in
        if case .head = event { return line.hold(event) }
        _ = line.send(event)
        line.sendHeld()
      }
    },
    .events("tells of an upload where there is none", .pieces) { events in
      events.prepend(TransferEvent.sent(TransferProgress(completedBytes: 0, totalBytes: 0)))
        .eraseToAnyPublisher()
    },

    .events("sends everything for any demand", .demand) { events in
      events.spoiled(Spoiling(request: { line, _ in line.ask(.unlimited) }))
    },
    .events("sends one piece more than demanded", .demand) { events in
      events.spoiled(Spoiling(request: { $0.ask($1 + 1) }))
    },
    .events("drops the pieces that nobody has demanded yet", .demand) { events in
      events.spoiled(
        Spoiling(
          value: { line, event in line.isAsked ? line.send(event) : .none },
          request: { line, demand in
            line.open(demand)
            line.pull(.unlimited)
          }))
    },
    .events("does not hear the demand that a value returns", .demand, hangs: true) { events in
      events.spoiled(
        Spoiling(value: { line, event in
          _ = line.send(event)
          return .none
        }))
    },
  ]

  /// The pieces that they hold back.
  static let ofPromptness: [TransportMutant] = [
    .pieces(
      "collects a body before it delivers its pieces", .pieces, .beyondLimit, .promptHead,
      .promptChunks, hangs: true
    ) { inner, request, body in
      body == nil ? inner.response(for: request).inPieces() : inner.events(for: request, body: body)
    },
    .events("delivers each piece with the next one", .promptHead, .promptChunks, hangs: true) {
      events in
      events.map(Optional.some).append(nil as TransferEvent?)
        .scan((held: TransferEvent?.none, event: TransferEvent?.none)) { ($1, $0.held) }
        .compactMap(\.event).eraseToAnyPublisher()
    },
    .events("delivers the head with the first bytes", .promptHead, hangs: true) { events in
      events.held { line, event in
        if case .head = event { return line.hold(event) }
        line.sendHeld()
        _ = line.send(event)
      }
    },
    .events("waits for 512 bytes, to find out their type", .promptChunks, hangs: true) { events in
      let count = Lock(0)
      return events.held { line, event in
        guard case .chunk(let chunk) = event else {
          _ = line.send(event)
          return
        }
        line.hold(event)
        let sum = count.withLock { count in
          count += chunk.count
          return count
        }
        if sum >= 512 { line.sendHeld() }
      }
    },
    .events("waits for the end of a line", .promptChunks, hangs: true) { events in
      events.held { line, event in
        line.hold(event)
        guard case .chunk(let chunk) = event else { return line.sendHeld() }
        if chunk.contains(UInt8(ascii: "\n")) { line.sendHeld() }
      }
    },

    .head("takes an early response for a failure", .earlyResponse) { head in
      guard head.statusCode != 413 else { throw BreakError() }
      return head
    },
    .pieces("reads no response before the whole body was sent", .earlyResponse) {
      inner, request, body in
      inner.events(for: request, body: body).scan((isSent: body == nil, event: nil)) {
        last, event -> (isSent: Bool, event: TransferEvent?) in
        guard case .sent(let progress) = event else {
          return (last.isSent, last.isSent ? event : nil)
        }
        return (progress.completedBytes == progress.totalBytes, event)
      }
      .compactMap(\.event).eraseToAnyPublisher()
    },
    TransportMutant("loses the body of an early response", [.earlyResponse]) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { request, body in
        inner.events(for: request, body: body)
          .prefix { event in
            if case .chunk = event { body == nil } else { true }
          }.eraseToAnyPublisher()
      }
      return spoiled
    },
    TransportMutant("sends what is left of a body before the next request", [.earlyResponse]) {
      inner in
      let isSpoiled = Lock(false)
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        if isSpoiled.withLock({ $0 }) { return request.answered(400, "Bad Request") }
        return inner.response(for: request)
          .handleEvents(receiveOutput: { response in
            if response.statusCode == 413 { isSpoiled.withLock { $0 = true } }
          }).eraseToAnyPublisher()
      }
      return spoiled
    },
  ]
}

extension AnyPublisher where Output == TransferEvent, Failure == any Error {
  /// Returns the events as the closure holds or sends them; the end sends those that are held.
  fileprivate func held(
    _ take: @escaping @Sendable (SpoiledLine<TransferEvent>, TransferEvent) -> Void
  ) -> PiecesExchange {
    spoiled(
      Spoiling(
        value: { line, event in
          take(line, event)
          return .unlimited
        },
        end: { line, completion in
          line.sendHeld()
          line.end(completion)
        }))
  }
}
