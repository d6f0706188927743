import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An instrument that begins an object for each call and each exchange, and ends it with them: a
/// span, a count.
///
/// ``ObservedTransport/instrument(with:)`` adds one. A call is all the work of one subscription to
/// a verb's pipeline. An exchange is one request on the wire: an attempt, a redirect, a refresh.
///
/// The methods run with no lock held, on the thread on which a call or an exchange begins or ends.
/// The call waits for them.
public protocol CallInstrument: AnyObject, Sendable {
  /// Begins the object of a call, before the call's first exchange over the transport.
  ///
  /// The method runs once for each call. If two threads send the first requests of one call at the
  /// same time, it may run for each of them. Both objects end with the call.
  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall
}

/// An instrument's object for one call.
public protocol InstrumentedCall: AnyObject, Sendable {
  /// Begins the object of an exchange, before the request is sent. The method does not run for a
  /// response from a cache or from another call's exchange.
  ///
  /// - Parameters:
  ///   - beginning: The request and its cause.
  ///   - headers: The header fields to add, empty at first. A field that the request already has
  ///     stays unchanged.
  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange

  /// Ends the object of the call, exactly once: the call has a result or a failure, or was
  /// cancelled.
  ///
  /// An exchange that was cancelled, or that several calls share, may end later.
  func end(_ log: CallLog)
}

/// An instrument's object for one exchange.
public protocol InstrumentedExchange: AnyObject, Sendable {
  /// Ends the object of the exchange, exactly once: before its result or its last piece is
  /// delivered, or when it is cancelled.
  func end(_ end: ExchangeEnd)
}

/// The information that a ``CallInstrument`` gets about a call that begins.
public struct CallBeginning: Sendable {
  /// The context that the subscriber passes upstream.
  public let context: SubscriptionContext
  /// The time since the call began.
  ///
  /// The call may have waited for a token before its transport was known.
  public let age: Duration
  /// Whether the call may send more than one request, because of a retry, a session or a redirect.
  public let mayRepeat: Bool
  /// The same instrument's object for the call that caused this call, or nil if there is none.
  ///
  /// For example, the parent of a refresh is the call that began it.
  public let parent: (any InstrumentedCall)?
}

/// The information that a ``CallInstrument`` gets about an exchange that begins.
public struct ExchangeBeginning: Sendable {
  /// The request as it is sent, without the fields that instruments add.
  ///
  /// It contains its secrets; ``attributes`` are safe to show.
  public let request: URLRequest
  /// The number of the attempt in the call, from 1.
  ///
  /// A redirect is part of its attempt.
  public let attempt: Int
  /// The cause of the request.
  public let cause: CallCause
  /// The number of repeated requests since the call's first one, including this one: after a
  /// failure, a refresh or a redirect.
  ///
  /// It is 0 for the first request.
  public let resendCount: Int
  /// The path of an endpoint with `{}` in place of each value, such as `/v1/pets/{}`.
  ///
  /// It is nil if the path is known only at run time, and after a redirect.
  public let urlTemplate: String?
  /// Whether the request goes to the origin of its API (RFC 6454 §4).
  ///
  /// It is false after a redirect to another origin.
  public let isAtAPIOrigin: Bool
  /// The time since the call began.
  public let time: Duration

  package init(
    request: URLRequest, attempt: Int, cause: CallCause, resendCount: Int, urlTemplate: String?,
    isAtAPIOrigin: Bool, time: Duration
  ) {
    self.request = request
    self.attempt = attempt
    self.cause = cause
    self.resendCount = resendCount
    self.urlTemplate = urlTemplate
    self.isAtAPIOrigin = isAtAPIOrigin
    self.time = time
  }
}

extension ExchangeBeginning: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// A text such as `GET https://shop.example.com/v1/orders, attempt 2`, without any secret.
  public var description: String { "\(RequestSummary(request)), attempt \(attempt)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The information that a ``CallInstrument`` gets about an exchange that ends.
public struct ExchangeEnd: Sendable {
  /// The status of the response, or nil if its head has not arrived.
  public let status: Int?
  /// The failure, or nil if the response is complete or the exchange was cancelled.
  public let failure: (any Error)?
  /// Whether the exchange was cancelled.
  ///
  /// A redirect with an unread body does not count as cancelled.
  public let isCancelled: Bool
  /// The time since the exchange began.
  public let duration: Duration
  /// The phases and the connection of the exchange, or nil if the transport does not report them.
  public let metrics: ExchangeMetrics?

  package init(
    status: Int?, failure: (any Error)?, isCancelled: Bool, duration: Duration,
    metrics: ExchangeMetrics?
  ) {
    self.status = status
    self.failure = failure
    self.isCancelled = isCancelled
    self.duration = duration
    self.metrics = metrics
  }
}
