import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  static var ofPieces: [TransportMutant] {
    let second = CallCount()
    return [
      TransportMutant(
        .pieces, "fails at the end", "an end",
        exchange: {
          $0.events(for: $1, body: $2)
            .append(Fail<TransferEvent, any Error>(error: BreakError())).eraseToAnyPublisher()
        }),
      pieces(.pieces, "has two heads", "one head") {
        if case .head = $0 { [$0, $0] } else { [$0] }
      },
      pieces(.pieces, "changes the status", "one head") {
        if case .head(let head) = $0 { [.head(head.with(status: 200))] } else { [$0] }
      },
      pieces(.pieces, "has empty chunks", "the head, then chunks with bytes") {
        if case .chunk = $0 { [$0, .chunk(Data())] } else { [$0] }
      },
      pieces(.pieces, "has a chunk before the head", "the head, then chunks with bytes") {
        if case .head = $0 { [.chunk(Data("x".utf8)), $0] } else { [$0] }
      },
      pieces(.pieces, "changes the bytes", "the body") {
        if case .chunk(let bytes) = $0 { [.chunk(Data(bytes.reversed()))] } else { [$0] }
      },
      TransportMutant(
        .pieces, "waits for the whole body", "several chunks",
        exchange: { transport, request, body in
          transport.events(for: request, body: body).collect().map { events in
            var (others, data) = ([TransferEvent](), Data())
            for event in events {
              if case .chunk(let chunk) = event { data += chunk } else { others.append(event) }
            }
            return others + [.chunk(data)]
          }
          .flatMap { $0.publisher.setFailureType(to: (any Error).self) }
          .eraseToAnyPublisher()
        }),
      pieces(.pieces, "counts what it does not send", "no progress without a body to send") {
        guard case .head = $0 else { return [$0] }
        return [.sent(TransferProgress(completedBytes: 0, totalBytes: nil)), $0]
      },
      TransportMutant(
        .demand, "loses a chunk of what is asked for one by one", "all of the body",
        exchange: { transport, request, body in
          let events = transport.events(for: request, body: body)
          guard second.next() == 2 else { return events }
          let chunks = CallCount()
          return events.filter { event in
            if case .chunk = event { chunks.next() > 1 } else { true }
          }.eraseToAnyPublisher()
        }),
      TransportMutant(
        .beyondLimit, "has a limit in pieces", "the whole body",
        exchange: { transport, request, body in
          transport.events(for: request, body: body).tryFilter { event in
            if case .chunk(let bytes) = event, bytes.count > 1_000 { throw BreakError() }
            return true
          }.eraseToAnyPublisher()
        }),
      TransportMutant(
        .beyondLimit, "fails at the end", "the whole body",
        exchange: {
          $0.events(for: $1, body: $2)
            .append(Fail<TransferEvent, any Error>(error: BreakError())).eraseToAnyPublisher()
        }),
      pieces(.beyondLimit, "loses bytes", "the whole body") {
        if case .chunk(let bytes) = $0, bytes.count > 1 { [.chunk(bytes.dropLast())] } else { [$0] }
      },
    ]
  }

  static var ofLife: [TransportMutant] {
    let keeper = KeptSubscriptions()
    let other = Data("other".utf8)
    return [
      TransportMutant(
        .cancel, "ends a call that was cancelled", "nothing after a cancel",
        call: { EndingAtCancel(upstream: $0.response(for: $1)).eraseToAnyPublisher() }),
      TransportMutant(
        .cancel, "ends pieces that were cancelled", "nothing after a cancel",
        exchange: {
          EndingAtCancel(upstream: $0.events(for: $1, body: $2)).eraseToAnyPublisher()
        }),
      TransportMutant(
        .cancel, "keeps the connection of a call", "an end", patience: .seconds(1),
        call: {
          EndingAtCancel(upstream: $0.response(for: $1), keeper: keeper).eraseToAnyPublisher()
        }),
      TransportMutant(
        .cancel, "keeps the connection of pieces", "an end", patience: .seconds(1),
        exchange: {
          EndingAtCancel(upstream: $0.events(for: $1, body: $2), keeper: keeper)
            .eraseToAnyPublisher()
        }),
      response(.lifetime, "changes the status", "a response to the running call") {
        $0.with(status: 201)
      },
      response(.crowd, "mixes the responses", "a response of its own") {
        $0.url.path == "/57" ? $0.with(data: Data("/58".utf8)) : $0
      },
      TransportMutant(
        .crowd, "sends one twice", "100 requests",
        call: { transport, request in
          let response = transport.response(for: request)
          guard request.path == "/57" else { return response }
          return response.flatMap { _ in response }.eraseToAnyPublisher()
        }),
      response(.nesting, "mixes the responses", "the inner call's response") {
        $0.url.path == "/inner" ? $0.with(data: Data("/outer".utf8)) : $0
      },
      TransportMutant(
        .nesting, "cannot be called in a delivery", "a check that runs",
        exchange: { _, _, _ in throw BreakError() }),
      TransportMutant(
        .blocking, "fails", "a response", call: { _, _ in throw BreakError() }),
      TransportMutant(
        .blocking, "fails in pieces", "a piece",
        exchange: { transport, request, body in
          guard request.path == "/pieces" else {
            return transport.events(for: request, body: body)
          }
          throw BreakError()
        }),
      response(.blocking, "mixes the responses", "a response of its own") {
        $0.url.path == "/2" ? $0.with(data: other) : $0
      },
      pieces(.blocking, "mixes the pieces", "a response of its own in pieces") {
        if case .chunk = $0 { [.chunk(other)] } else { [$0] }
      },
      TransportMutant(
        .blocking, "fails after the response", "an end of both calls",
        call: { transport, request in
          let response = transport.response(for: request)
          guard request.path == "/whole" else { return response }
          return response.append(Fail<RESTResponse, any Error>(error: BreakError()))
            .eraseToAnyPublisher()
        }),
      TransportMutant(
        .blocking, "fails after the pieces", "an end of both calls",
        exchange: { transport, request, body in
          let events = transport.events(for: request, body: body)
          guard request.path == "/pieces" else { return events }
          return events.append(Fail<TransferEvent, any Error>(error: BreakError()))
            .eraseToAnyPublisher()
        }),
    ]
  }

  static var ofPromptness: [TransportMutant] {
    let other = Data("other".utf8)
    return [
      pieces(.promptHead, "changes the status", "the head before the body") {
        if case .head(let head) = $0 { [.head(head.with(status: 200))] } else { [$0] }
      },
      pieces(.promptHead, "changes the body", "the body behind it") {
        if case .chunk = $0 { [.chunk(other)] } else { [$0] }
      },
      pieces(.promptHead, "changes a status beside a length", "the head before the body") {
        guard case .head(let head) = $0, head.headers.contains("Content-Length") else {
          return [$0]
        }
        return [.head(head.with(status: 200))]
      },
      pieces(.promptHead, "changes a status without a length", "the head before the body") {
        guard case .head(let head) = $0, !head.headers.contains("Content-Length") else {
          return [$0]
        }
        return [.head(head.with(status: 200))]
      },
      pieces(.promptChunks, "changes the second chunk", "onetwo") {
        guard case .chunk(let bytes) = $0, bytes == Data("two".utf8) else { return [$0] }
        return [.chunk(Data("too".utf8))]
      },
      TransportMutant(
        .promptChunks, "has more than the body", "no more than the body",
        exchange: {
          $0.events(for: $1, body: $2).append(.chunk(other)).eraseToAnyPublisher()
        }),
      pieces(.earlyResponse, "changes the status", "the response 413") {
        if case .head(let head) = $0 { [.head(head.with(status: 500))] } else { [$0] }
      },
      TransportMutant(
        .earlyResponse, "fails at the end", "the response 413",
        exchange: {
          $0.events(for: $1, body: $2)
            .append(Fail<TransferEvent, any Error>(error: BreakError())).eraseToAnyPublisher()
        }),
      pieces(.earlyResponse, "changes the body", "its body") {
        if case .chunk = $0 { [.chunk(other)] } else { [$0] }
      },
      response(.earlyResponse, "changes the status of a whole response", "413 as a whole") {
        $0.statusCode == 413 ? $0.with(status: 500) : $0
      },
      response(.earlyResponse, "changes the next response", "a response to the next request") {
        $0.statusCode == 200 ? $0.with(data: other) : $0
      },
    ]
  }
}

/// Subscriptions that are not cancelled.
private final class KeptSubscriptions: Sendable {
  private let state = Mutex<[any Subscription]>([])

  func keep(_ subscription: any Subscription) { state.withLock { $0.append(subscription) } }
}

/// Ends the stream when its subscriber cancels, or with a keeper only seems to cancel.
private struct EndingAtCancel<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let upstream: AnyPublisher<Output, any Error>
  var keeper: KeptSubscriptions?

  private struct Ending: Subscription {
    let inner: any Subscription
    let end: @Sendable () -> Void

    func request(_ demand: Subscribers.Demand) { inner.request(demand) }

    func cancel() { end() }
  }

  func receive(subscriber: some Subscriber<Output, any Error>) {
    let (keeper, over) = (keeper, CallCount())
    upstream.receive(
      subscriber: AnySubscriber<Output, any Error>(
        receiveSubscription: { subscription in
          subscriber.receive(
            subscription: Ending(inner: subscription) {
              over.next()
              if let keeper { return keeper.keep(subscription) }
              subscription.cancel()
              subscriber.receive(completion: .finished)
            })
        },
        receiveValue: { over.count == 0 ? subscriber.receive($0) : .none },
        receiveCompletion: { if over.count == 0 { subscriber.receive(completion: $0) } }))
  }
}
