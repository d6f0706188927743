import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request that reached a ``StubTransport``, and its outcome.
public struct StubExchange: Sendable {
  /// The outcome of an exchange.
  public enum Outcome: Sendable, Hashable {
    /// The exchange has not ended.
    case pending
    /// The client received a whole response, with this status.
    case answered(Int)
    /// The exchange failed: by the stub's fault, by a verification, or because no stub matched.
    case failed
    /// The client canceled the exchange before its end.
    case cancelled
  }

  /// The position in the journal, from 1.
  public let id: Int
  public let request: URLRequest
  /// The attempt of the call, from 1.
  ///
  /// Each retry is another attempt; a redirect is not.
  public let attempt: Int
  /// The reason why the request was sent.
  public let cause: CallCause
  /// The location of the stub that answered, or nil if no stub matched.
  public let stub: StubLocation?
  public internal(set) var outcome = Outcome.pending
  /// The number of body bytes that the client has received so far.
  ///
  /// For a whole response it is all or none; in pieces, the bytes of the delivered pieces.
  public internal(set) var bodyBytes = 0

  init(id: Int, request: URLRequest, origin: CallOrigin, stub: StubLocation?) {
    self.id = id
    self.request = request
    attempt = origin.attempt
    cause = origin.cause
    self.stub = stub
  }
}

extension StubExchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `3. GET https://shop.example.com/v1/orders → 200, attempt 2 (refresh)`.
  public var description: String {
    let end =
      switch outcome {
      case .pending, .failed, .cancelled: "\(outcome)"
      case .answered(let status): "\(status)"
      }
    return "\(id). \(RequestSummary(request)) → \(end), attempt \(attempt) (\(cause))"
  }

  public var debugDescription: String { description }

  // `dump` would print the request's headers.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
