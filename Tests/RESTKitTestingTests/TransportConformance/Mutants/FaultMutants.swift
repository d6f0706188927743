import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportMutant {
  /// The faults that they have.
  static let ofFaults: [TransportMutant] = [
    .fault(
      "says of each fault that nothing was processed", .closed, .reset, .cut, .noRepeat,
      .bodyLimit, .deadline
    ) { $0.replacing(mayHaveBeenProcessed: false) },
    .fault(
      "says of each fault that the request may have been processed", .refusals, .refused,
      .unknownHost, .noTLS
    ) { $0.replacing(mayHaveBeenProcessed: true) },
    .fault(
      "has one kind of fault", .refusals, .bodyFailures, .onceOnly, .codings, .refused,
      .unknownHost, .noTLS, .closed, .reset, .cut, .packedCut, .malformed, .twoLengths,
      .bodyLimit, .headerLimit, .deadline, .silence
    ) { $0.replacing(kind: .other(code: 1)) },
    .answer(
      "answers a fault with a 502, as a gateway does", .refusals, .refused, .unknownHost, .noTLS,
      .closed, .reset, .cut, .packedCut, .malformed, .twoLengths, .noRepeat, .bodyLimit,
      .headerLimit, .deadline, .silence
    ) { _, _, _, request in request.answered(502, "Bad Gateway") },
    .events(
      "in pieces, takes a fault for an end", .refusals, .bodyFailures, .onceOnly, .refused,
      .unknownHost, .noTLS, .closed, .reset, .cut, .packedCut, .malformed, .twoLengths,
      .headerLimit, .silence
    ) { $0.endingWithFailure() },
    .fault("tells how far it came, and not why", .refused, .unknownHost, .noTLS) { fault in
      switch fault.kind {
      case .connectionRefused, .hostNotFound, .tlsFailed: fault.replacing(kind: .connectFailed)
      default: fault
      }
    },

    .answer("sends without TLS to a server that has none", .noTLS) { inner, fault, _, request in
      guard case .tlsFailed = fault.kind, let url = request.url?.absoluteString else { return nil }
      var plain = request
      plain.url = URL(string: "http\(url.dropFirst("https".count))")
      return inner.response(for: plain)
    },
    .answer("asks a search engine for a name without an address", .unknownHost) {
      _, fault, _, request in
      fault.kind == .hostNotFound
        ? request.answered(302, headers: ["Location": "https://search.example.com/"]) : nil
    },
    .answer("takes a close for an empty response", .closed) { _, fault, _, request in
      fault.kind == .connectionClosedBeforeResponse ? request.answered(200) : nil
    },
    .fault("takes a reset for a close", .reset) { fault in
      fault.kind == .connectionReset
        ? fault.replacing(kind: .connectionClosedBeforeResponse) : fault
    },
    .whole("takes the end of a connection for the end of a body", .cut, .packedCut) {
      inner, request in
      inner.events(for: request).tryCatch { error -> Empty<TransferEvent, any Error> in
        guard TransportError(of: error)?.kind == .bodyCut else { throw error }
        return Empty()
      }.asWhole(request)
    },
    TransportMutant("delivers other bytes before a cut", [.cut]) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { inner.events(for: $0, body: $1).mapChunks { Data($0.reversed()) } }
      return spoiled
    },
    .answer("takes text that is not HTTP for a body", .malformed) { _, fault, _, request in
      fault.kind == .malformedResponse && fault.statusCode == nil
        ? request.answered(200, "garbage without a status line") : nil
    },
    .answer("takes a chunk that it cannot read for the last one", .malformed) {
      _, fault, error, request in
      guard fault.kind == .malformedResponse, fault.statusCode != nil else { return nil }
      return request.answered(
        200, String(decoding: (error as? RESTError)?.body ?? Data(), as: UTF8.self))
    },
    .answer("takes the first of two lengths", .twoLengths) { _, fault, _, request in
      fault.kind == .malformedResponse
        ? request.answered(200, "body", headers: ["Content-Length": "4"]) : nil
    },
    .fault("takes what it cannot read for a body that was cut", .malformed, .twoLengths) { fault in
      fault.kind == .malformedResponse ? fault.replacing(kind: .bodyCut) : fault
    },
  ]

  /// What they send again, and what they tell of it.
  static let ofRepeats: [TransportMutant] = [
    TransportMutant("sends again what got no response", [.noRepeat, .closed, .reset]) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { inner.response(for: $0).retry(1).eraseToAnyPublisher() }
      return spoiled
    },
    .events("in pieces, sends again what got no response", .noRepeat, .closed, .reset) {
      $0.retry(1).eraseToAnyPublisher()
    },
    .whole("takes a POST without a body for one that may be repeated", .noRepeat) {
      inner, request in
      let exchange = inner.response(for: request)
      return request.httpMethod == "POST" && request.httpBody == nil
        ? exchange.retry(1).eraseToAnyPublisher() : exchange
    },

    .repeating("repeats a request without its body", .wholeRepeat) { inner, request, _ in
      inner.response(for: request.setting(body: nil))
    },
    .repeating("repeats a request with the rest of its body", .wholeRepeat) { inner, request, _ in
      inner.response(for: request.setting(body: request.httpBody?.dropFirst(50_000)))
    },
    .repeating("does not know that a PUT was sent", .wholeRepeat) { _, _, fault in
      Fail(error: fault.replacing(mayHaveBeenProcessed: false)).eraseToAnyPublisher()
    },

    .failure("shows the URL in its errors", .secrets) { error, request in
      BreakError(description: "\(request.url?.absoluteString ?? "") failed: \(error)")
    },
    .failure("shows a header in the detail of its faults", .secrets) { error, request in
      let value = request.value(forHTTPHeaderField: "Authorization") ?? ""
      return TransportError(of: error).map { $0.replacing(detail: "\($0.detail) \(value)") }
        ?? error
    },
    .failure("has the request in its errors, which a debugger shows", .secrets) { _, request in
      ShownError(headers: request.allHTTPHeaderFields ?? [:])
    },
    .failure("shows the URL to the user of an app", .secrets) { _, request in
      ToldError(errorDescription: "No response from \(request.url?.absoluteString ?? "").")
    },
    TransportMutant("in pieces, shows the URL in its errors", [.secrets]) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.pieces = { request, body in
        inner.events(for: request, body: body).mapError { error -> any Error in
          BreakError(description: "\(request.url?.absoluteString ?? "") failed: \(error)")
        }.eraseToAnyPublisher()
      }
      return spoiled
    },
  ]

  /// It sends a PUT's body only once, and does something else when that got no response.
  private static func repeating(
    _ name: String, _ rules: TransportRule...,
    by answer:
      @escaping @Sendable (any Transport, URLRequest, TransportError) -> WholeExchange
  ) -> TransportMutant {
    TransportMutant(name, rules) { inner in
      var spoiled = SpoiledTransport(inner)
      spoiled.whole = { request in
        guard request.httpMethod == "PUT", let body = request.httpBody else {
          return inner.response(for: request)
        }
        // An engine has no more than the last of them.
        let chunks = stride(from: 0, to: body.count, by: 10_000)
          .map { body.dropFirst($0).prefix(10_000) }
          .publisher.setFailureType(to: (any Error).self)
        return inner.events(
          for: request.setting(body: nil), body: .chunks(chunks, length: Int64(body.count))
        )
        .asWhole(request)
        .catch { error in
          TransportError(of: error).map { answer(inner, request, $0) }
            ?? Fail(error: error).eraseToAnyPublisher()
        }
        .eraseToAnyPublisher()
      }
      return spoiled
    }
  }
}

/// An error with a property that only its reflection shows.
private struct ShownError: Error, CustomStringConvertible {
  let headers: [String: String]
  var description: String { "no response" }
}

/// An error with a text for users.
private struct ToldError: LocalizedError, CustomStringConvertible, CustomDebugStringConvertible {
  let errorDescription: String?
  var description: String { "no response" }
  var debugDescription: String { description }
}
