import Dispatch
import Foundation
import RESTKit
import Streams
import Synchronization

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  static var ofRequests: [TransportMutant] {
    let (body, part) = (TransportTrial.pattern(100_000), Data("x".utf8))
    let token = "Bearer abc"
    return [
      request(.requests, "sends another method", "OPTIONS") {
        if $0.httpMethod == "PATCH" { $0.httpMethod = "PUT" }
      },
      request(.requests, "sends another query", "the target as it is") {
        $0.url = URL(string: "\($0.url?.absoluteString ?? "")&q=3")
      },
      request(.requests, "sends another path", "the target as it is") {
        $0.url = URL(
          string: $0.url?.absoluteString.replacingOccurrences(of: "%20b", with: "%20B") ?? "")
      },
      request(.requests, "changes a header", "the header call 0") {
        $0.setValue(
          $0.value(forHTTPHeaderField: "X-Call")?.uppercased(), forHTTPHeaderField: "X-Call")
      },
      request(.requests, "keeps a header for the next call", "a header in the call that has it") {
        $0.setValue(token, forHTTPHeaderField: "Authorization")
      },
      request(.requests, "drops a header", "a header in the call that has it") {
        $0.setValue(nil, forHTTPHeaderField: "Authorization")
      },
      request(.requests, "sends another body", "the body of QUERY") {
        if $0.httpMethod == "QUERY" { $0.httpBody = Data(body.reversed()) }
      },
      request(.requests, "sends a body where there is none", "the body of DELETE") {
        if $0.httpMethod == "DELETE" { $0.httpBody = part }
      },
      TransportMutant(
        .requests, "sends a body in chunks", "a body in memory announced by its length",
        call: { transport, request in
          guard let body = request.httpBody else { return transport.response(for: request) }
          var bare = request
          bare.httpBody = nil
          let chunks = Just(body).setFailureType(to: (any Error).self)
          return transport.events(for: bare, body: .chunks(chunks)).compactMap { event in
            guard case .head(let head) = event else { return nil }
            return RESTResponse(head: head, data: Data(), request: RequestSummary(request))
          }.eraseToAnyPublisher()
        }),
      fault(.refusals, "has another kind for it", "unsupportedURL for user info") {
        $0.kind == .unsupportedURL ? $0.with(kind: .invalidRequest) : $0
      },
      fault(.refusals, "says that it may have been processed", "not processed") {
        $0.with(processed: true)
      },
      fault(.refusals, "does not name the part", "a detail that names CONNECT") {
        $0.detail.contains("CONNECT") ? $0.with(detail: "") : $0
      },
      fault(.refusals, "shows the value", "no secret in the text") {
        $0.with(detail: "\($0.detail) s3cret")
      },
      faultInPieces(.refusals, "has another kind for it in pieces", "invalidRequest for HEAD") {
        $0.detail.contains("HEAD") ? $0.with(kind: .sendFailed) : $0
      },
      TransportMutant(
        .refusals, "looks at the server first", "no connection",
        call: { transport, request in
          guard request.httpMethod == "CONNECT" else { return transport.response(for: request) }
          let bare = try request.bare()
          return transport.response(for: bare).flatMap { _ in transport.response(for: request) }
            .eraseToAnyPublisher()
        }),
      TransportMutant(
        .laziness, "sends once for all subscribers", "one exchange for each subscription",
        call: { transport, request in
          let kept = KeptResponse()
          return Deferred {
            kept.response.map {
              Just($0).setFailureType(to: (any Error).self).eraseToAnyPublisher()
            }
              ?? transport.response(for: request)
              .handleEvents(receiveOutput: { kept.keep($0) }).eraseToAnyPublisher()
          }.eraseToAnyPublisher()
        }),
      TransportMutant(
        .laziness, "sends twice in pieces", "one exchange for each subscription",
        exchange: {
          $0.events(for: $1, body: $2).append($0.events(for: $1, body: $2)).eraseToAnyPublisher()
        }),
    ]
  }

  static var ofUploads: [TransportMutant] {
    let whole = TransportTrial.pattern(1 << 20)
    let (first, other, third) = (CallCount(), CallCount(), CallCount())
    let kept = KeptCalls()
    return [
      pieces(.uploads, "changes the status", "a response to data") {
        if case .head(let head) = $0 { [.head(head.with(status: 200))] } else { [$0] }
      },
      TransportMutant(
        .uploads, "sends another body", "data, whole and once",
        exchange: { transport, request, _ in
          transport.events(for: request, body: .data(Data("x".utf8)))
        }),
      TransportMutant(
        .uploads, "sends it twice", "data, whole and once",
        exchange: { transport, request, body in
          let once = transport.events(for: request, body: body)
          return once.filter { _ in false }.append(once).eraseToAnyPublisher()
        }),
      TransportMutant(
        .uploads, "does not announce the length", "data announced by the length",
        exchange: { transport, request, _ in
          let chunks = Just(whole).setFailureType(to: (any Error).self)
          return transport.events(for: request, body: .chunks(chunks))
        }),
      losing(2, "a response to a file"), losing(3, "a response to chunks with a length"),
      losing(4, "a response to chunks"),
      pieces(.uploads, "counts too far without a length", "progress of chunks up to") {
        guard case .sent(let progress) = $0, progress.totalBytes == nil else { return [$0] }
        let count = progress.completedBytes + 1
        return [.sent(TransferProgress(completedBytes: count, totalBytes: nil))]
      },
      pieces(.uploads, "counts down", "progress of data up to") {
        guard case .sent(let progress) = $0 else { return [$0] }
        let more = TransferProgress(
          completedBytes: progress.completedBytes + 1, totalBytes: progress.totalBytes)
        return [.sent(more), $0]
      },
      pieces(.uploads, "stops counting", "progress of data up to") {
        if case .sent(let progress) = $0, progress.completedBytes == progress.totalBytes {
          return []
        }
        return [$0]
      },
      pieces(.uploads, "counts up to another total", "the total of data") {
        guard case .sent(let progress) = $0 else { return [$0] }
        return [
          .sent(TransferProgress(completedBytes: progress.completedBytes, totalBytes: 7))
        ]
      },
      TransportMutant(
        .bodyFailures, "connects for a file that is missing", "no connection for a file",
        exchange: { transport, request, body in
          let bare = try request.bare()
          return transport.events(for: request, body: body).tryCatch { error in
            transport.response(for: bare).tryMap { _ -> TransferEvent in throw error }
          }.eraseToAnyPublisher()
        }),
      faultInPieces(.bodyFailures, "has another kind for a file", "invalidRequest for a file") {
        $0.kind == .invalidRequest ? $0.with(kind: .sendFailed) : $0
      },
      TransportMutant(
        .bodyFailures, "takes one of two bodies", "a fault: two bodies",
        exchange: { transport, request, body in
          var request = request
          request.httpBody = nil
          return transport.events(for: request, body: body)
        }),
      TransportMutant(
        .bodyFailures, "hides the failure of the body", "the failure of the body's publisher",
        exchange: {
          $0.events(for: $1, body: $2).mapError {
            $0.transportFault ?? TransportError(kind: .sendFailed, mayHaveBeenProcessed: true)
          }.eraseToAnyPublisher()
        }),
      faultInPieces(.bodyFailures, "has another kind for a length", "announced as 1") {
        $0.kind == .sendFailed ? $0.with(kind: .connectionReset) : $0
      },
      TransportMutant(
        .bodyFailures, "takes a body that is too short", "announced as 2097152",
        exchange: { transport, request, body in
          let events = transport.events(for: request, body: body)
          // The last of five calls.
          return first.next() == 5
            ? Empty<TransferEvent, any Error>().eraseToAnyPublisher() : events
        }),
      TransportMutant(
        .bodyFailures, "sends what is left", "no whole request",
        exchange: { transport, request, body in
          let bare = try request.bare()
          return transport.events(for: request, body: body).tryCatch { error in
            guard error.transportFault?.kind == .sendFailed else { throw error }
            return transport.response(for: bare).tryMap { _ -> TransferEvent in throw error }
          }.eraseToAnyPublisher()
        }),
      pieces(.onceOnly, "changes the response", "a response to the first") {
        if case .chunk = $0 { [.chunk(Data("5".utf8))] } else { [$0] }
      },
      TransportMutant(
        .onceOnly, "takes a body that was sent", "a fault: a body that was sent",
        exchange: { transport, request, body in
          other.next() == 2
            ? Empty<TransferEvent, any Error>().eraseToAnyPublisher()
            : transport.events(for: request, body: body)
        }),
      faultInPieces(.onceOnly, "has another kind for it", "invalidRequest for a body") {
        $0.with(kind: .sendFailed)
      },
      TransportMutant(
        .onceOnly, "sends the request without it", "one request",
        exchange: { transport, request, body in
          let bare = try request.bare()
          return transport.events(for: request, body: body).tryCatch { error in
            transport.response(for: bare).tryMap { _ -> TransferEvent in throw error }
          }.eraseToAnyPublisher()
        }),
      TransportMutant(
        .onceOnly, "sends no body again", "a body that may be sent again",
        exchange: { transport, request, body in
          third.next() == 4
            ? Fail(error: BreakError()).eraseToAnyPublisher()
            : transport.events(for: request, body: body)
        }),
      TransportMutant(
        .bodyCancel, "sends the request all the same", "no whole request of what was cancelled",
        exchange: { transport, request, body in
          let bare = try request.bare("/late")
          return transport.events(for: request, body: body)
            .handleEvents(receiveCancel: {
              let isThere = DispatchSemaphore(value: 0)
              let call = transport.response(for: bare).sink(
                receiveCompletion: { _ in isThere.signal() }, receiveValue: { _ in })
              isThere.wait()
              call.cancel()
            }).eraseToAnyPublisher()
        }),
      TransportMutant(
        .bodyCancel, "does not cancel the body", "an end", patience: .seconds(1),
        exchange: { transport, request, body in
          return Single<TransferEvent, any Error> { _ in
            let call = transport.events(for: request, body: body)
              .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            kept.keep(call)
            return AnyCancellable {}
          }.eraseToAnyPublisher()
        }),
    ]
  }

  /// The response to one of the uploads is lost.
  private static func losing(_ number: Int, _ finding: String) -> TransportMutant {
    let calls = CallCount()
    return TransportMutant(
      .uploads, "loses the response \(number)", finding,
      exchange: { transport, request, body in
        calls.next() == number
          ? Empty<TransferEvent, any Error>().eraseToAnyPublisher()
          : transport.events(for: request, body: body)
      })
  }
}

/// A response that is kept.
private final class KeptResponse: Sendable {
  private let state = Mutex<RESTResponse?>(nil)

  var response: RESTResponse? { state.withLock { $0 } }

  func keep(_ response: RESTResponse) { state.withLock { $0 = response } }
}

/// Calls that nothing cancels.
private final class KeptCalls: Sendable {
  private let calls = Mutex<[AnyCancellable]>([])

  func keep(_ call: AnyCancellable) { calls.withLock { $0.append(call) } }
}
