import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An exchange that is being recorded.
struct RecordedExchange: Sendable {
  enum End: Sendable {
    case pending
    case complete
    case failure(any Error)
    case cancelled
  }

  var request: URLRequest
  let start: Date
  /// The names of secrets that the API of the request declares; nil for none.
  var declaredSecrets: DeclaredSecrets?
  /// The duration of the exchange; zero until it has ended.
  var duration = Duration.zero
  var head: ResponseHead?
  /// The pieces of the body, as they arrived.
  var pieces: [StubPiece] = []
  /// Whether the client takes the response in pieces.
  let isInPieces: Bool
  /// The number of bytes of the body, including those beyond the limit.
  var bodyBytes: Int64 = 0
  var end = End.pending
  /// The maximum number of bytes of a body that are kept.
  let limit: Int

  var body: Data { pieces.reduce(into: Data()) { $0 += $1.data } }

  mutating func append(_ chunk: Data, after wait: Duration) {
    bodyBytes += Int64(chunk.count)
    if bodyBytes <= Int64(limit) {
      pieces.append(StubPiece(chunk, after: wait))
    } else {
      pieces = []
    }
  }

  /// The reason why it cannot be played later; nil if it can.
  var flaw: String? {
    if bodyBytes > Int64(limit) {
      return "its response has \(bodyBytes) bytes. Raise bodyLimit, which is \(limit)."
    }
    switch end {
    case .pending: return "it is still under way. Await its end or cancel it before the test ends."
    case .failure(let error) where error.transportError == nil:
      // Its text is left out, because it may contain a secret.
      return "it failed with an error that is not a TransportError: \(type(of: error))"
    case .complete, .cancelled, .failure: return nil
    }
  }
}

extension Error {
  /// The transport's error; nil if the error is another one.
  var transportError: TransportError? {
    ((self as? RESTError)?.underlyingError ?? self) as? TransportError
  }
}
