import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// What they send, and when.
  static let ofRequests: [TransportMutant] = [
    TransportMutant("sends a header of the call before again", [.requests]) { inner in
      let last = Lock<String?>(nil)
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        let known = last.withLock { last in
          defer { last = request.value(forHTTPHeaderField: "Authorization") ?? last }
          return last
        }
        return inner.response(
          for: known.map { request.setting($0, for: "Authorization") } ?? request)
      }
      return spoiled
    },
    .request("sends each name of a query once", .requests) { request in
      let parts = (request.url?.absoluteString ?? "").components(separatedBy: "&q=")
      var copy = request
      copy.url = parts.first.flatMap { URL(string: $0) }
      return copy
    },
    .whole("sends a body in memory in chunks without a length", .requests) { inner, request in
      guard let body = request.httpBody else { return inner.response(for: request) }
      let chunks = Just(body).setFailureType(to: (any Error).self)
      return inner.events(for: request.setting(body: nil), body: .chunks(chunks)).asWhole(request)
    },
    .pieces("in pieces, loses the body that the request has", .requests) { inner, request, body in
      inner.events(for: request.setting(body: nil), body: body)
    },

    .request("removes what it should refuse", .refusals) { $0.withoutFraming },
    .pieces("in pieces, removes what it should refuse", .refusals) { inner, request, body in
      inner.events(for: request.withoutFraming, body: body)
    },
    .request("sends a HEAD without the body that it has", .refusals) { request in
      request.httpMethod == "HEAD" ? request.setting(body: nil) : request
    },
    .fault("refuses without the name of the part", .refusals) { fault in
      fault.kind == .invalidRequest || fault.kind == .unsupportedURL
        ? TransportError(kind: fault.kind, mayHaveBeenProcessed: false) : fault
    },
    .failure("shows the value that it refuses", .refusals) { error, request in
      let value = request.value(forHTTPHeaderField: "X-C") ?? ""
      return TransportError(of: error).map { $0.replacing(detail: "\($0.detail) \(value)") }
        ?? error
    },

    .whole("sends when it is asked for a publisher", .laziness) { inner, request in
      begun(inner.response(for: request))
      return inner.response(for: request)
    },
    .pieces("in pieces, sends when it is asked for a publisher", .laziness) {
      inner, request, body in
      begun(inner.events(for: request, body: body))
      return inner.events(for: request, body: body)
    },
    .whole("gives each subscription the response to the first", .laziness) { inner, request in
      inner.response(for: request).share(replay: 1, resetOnFinish: .never).eraseToAnyPublisher()
    },
    .whole("sends each request twice", .laziness, .crowd, .challenges) { inner, request in
      inner.response(for: request).flatMap { _ in inner.response(for: request) }
        .eraseToAnyPublisher()
    },
  ]

  private static func begun<Value: Sendable>(_ exchange: AnyPublisher<Value, any Error>) {
    let calls = Lock<AnyCancellable?>(nil)
    let call = exchange.sink(
      receiveCompletion: { _ in calls.withLock { $0 = nil } }, receiveValue: { _ in })
    calls.withLock { $0 = call }
  }
}

extension URLRequest {
  fileprivate var withoutFraming: URLRequest {
    ["Host", "Connection", "Transfer-Encoding", "Content-Length"].reduce(self) {
      $0.setting(nil, for: $1)
    }
  }
}
