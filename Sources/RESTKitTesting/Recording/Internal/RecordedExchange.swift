import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An exchange as far as it is recorded.
struct RecordedExchange: Sendable {
  enum End: Sendable {
    case pending
    case complete
    case failure(any Error)
    case cancelled
  }

  var request: URLRequest
  let start: Date
  /// How long it took; zero until it has ended.
  var duration = Duration.zero
  var head: ResponseHead?
  /// The body, in the pieces in which it came.
  var pieces: [StubPiece] = []
  /// Whether it was asked for in pieces.
  let isInPieces: Bool
  /// The bytes of the body, those beyond the limit too.
  var bodyBytes = 0
  var end = End.pending
  /// The most bytes of a body that are kept.
  let limit: Int

  var body: Data { pieces.reduce(into: Data()) { $0 += $1.data } }

  mutating func append(_ chunk: Data, after wait: Duration) {
    bodyBytes += chunk.count
    if bodyBytes <= limit { pieces.append(StubPiece(chunk, after: wait)) } else { pieces = [] }
  }

  /// Why it cannot be played later; nil where it can.
  var flaw: String? {
    if bodyBytes > limit {
      return "its response has \(bodyBytes) bytes. Raise bodyLimit, which is \(limit)."
    }
    switch end {
    case .pending: return "it is still under way. Await its end or cancel it before the test ends."
    case .failure(let error) where error.transportError == nil:
      // Not its text, which may hold a secret.
      return "it failed with an error that is no TransportError: \(type(of: error))"
    case .complete, .cancelled, .failure: return nil
    }
  }
}

extension Error {
  /// What went wrong on the way; nil where it was something else.
  var transportError: TransportError? {
    ((self as? RESTError)?.underlyingError ?? self) as? TransportError
  }
}
