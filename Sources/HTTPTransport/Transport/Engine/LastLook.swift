import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The last look at a request that has waited in an engine's line for a connection.
///
/// An engine with a line takes it when a place is free, on its own thread, with no lock held. A
/// request that is sent at once needs none.
package struct LastLook: Sendable {
  package enum Key: SubscriptionContextKey {
    package static var defaultValue: LastLook? { nil }
  }

  package enum Verdict: Sendable {
    case unchanged
    /// The request leaves with another value of `Authorization`.
    case authorization(String)
    /// The request is not sent now.
    ///
    /// The engine fails it with `TransportError.heldBack`. Its sender waits for another token, and
    /// asks again.
    case heldBack
  }

  /// The request as its sender gave it away.
  private let request: URLRequest
  private let sender: any LateSender

  package init(at request: URLRequest, of sender: any LateSender) {
    self.request = request
    self.sender = sender
  }

  /// Whether the request was held back before, and so goes to the head of the line.
  package var goesFirst: Bool { sender.wasHeldBack }

  /// - Parameter request: The request as it has reached the engine.
  package func verdict(on request: URLRequest) -> Verdict {
    // A transport in between may have changed the request, and signed it with its token. On Linux,
    // equal requests may have different fields.
    let isUnchanged =
      request.url == self.request.url && request.httpMethod == self.request.httpMethod
      && request.allHTTPHeaderFields == self.request.allHTTPHeaderFields
      && request.httpBody == self.request.httpBody
    return isUnchanged ? sender.takeLastLook() : .unchanged
  }
}

/// The sender of a request, which is asked for its head again when a connection is free.
package protocol LateSender: AnyObject, Sendable {
  var wasHeldBack: Bool { get }

  func takeLastLook() -> LastLook.Verdict
}

extension TransportError {
  /// The fault of a request that its sender holds back, and asks for again.
  package static let heldBack = beforeSending(
    .timedOut, "the token expired while the request waited for a connection")
}
