import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request that reached a ``StubTransport``, and what became of it.
public struct StubExchange: Sendable {
  /// How an exchange came out.
  public enum Outcome: Sendable, Hashable {
    /// It is still under way.
    case pending
    /// A whole response was delivered, with this status.
    case answered(Int)
    /// It failed: with the stub's fault, a verification, or because no stub was for it.
    case failed
    /// The client cancelled it before its end.
    case cancelled
  }

  /// Its place in the journal: 1 for the first request.
  public let id: Int
  public let request: URLRequest
  /// Which attempt of its call it belongs to, from 1: each retry is one more, a redirect is not.
  public let attempt: Int
  /// Why it was sent.
  public let cause: CallCause
  /// Where the stub stands that was for it; nil where none was.
  public let stub: StubLocation?
  public internal(set) var outcome = Outcome.pending
  /// How many bytes of the body the client was given so far: of a whole response all or none, in
  /// pieces those that it took.
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
  /// Such as `3. GET https://shop.example.com/v1/orders → 200, attempt 2 (refresh)`.
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
