import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The time limits of a caller that waits for an exchange.
struct ExchangePatience: Sendable {
  /// The time limit of the call's first request and all its redirects.
  let limit: Duration
  /// The instant at which the limit ends.
  let end: ContinuousClock.Instant

  /// Whether an exchange with another's patience takes no longer than an exchange with this one.
  ///
  /// The comparison has a tolerance: threads that begin together read the clock one after another.
  func covers(_ other: ExchangePatience) -> Bool { other.end <= end + limit / 10 }
}

/// The rest of the way of a request behind the cache: leave, and be sent.
///
/// It is a protocol because the steps behind the cache name a session, which stands above it. It is an
/// object because it is stored in several places.
protocol RestOfWay: AnyObject, Sendable {
  var request: URLRequest { get }
  var transport: any Transport { get }

  /// The latest departure of the request; nil before the first.
  var departure: Departure? { get }

  /// The asker, the same for a request and all its redirects.
  var asker: SignInSpan? { get }

  /// Whether the request leaves with a credential of the asker, which it may not have yet.
  ///
  /// A redirect to another origin drops it.
  var isBound: Bool { get }

  /// Whether a response refuses the asker's credential, and so does not apply to the asker with another
  /// credential.
  func isRefusal(_ response: RESTResponse) -> Bool

  /// The time limits; nil for no limit.
  var patience: ExchangePatience? { get }

  /// The names of further secret header fields.
  var secretHeaders: [String] { get }

  /// Returns the response by an exchange of its own, which is counted and recorded now.
  ///
  /// - Parameter fields: Further header fields of the request.
  func send(adding fields: [HTTPHeaders.Element]) -> AnyPublisher<RESTResponse, any Error>

  /// Returns the response to the same request, independent of any waiting call.
  ///
  /// Observers of the transport see a separate call.
  ///
  /// - Parameter begin: A closure that makes the response for the request in that call.
  func behind(
    _ begin: @escaping @Sendable (any RestOfWay) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error>

  /// Counts and records that the request waits for another call's exchange.
  func join()

  /// Records a decision about the request.
  func record(_ event: @autoclosure () -> CallEvent.Kind)
}

extension RestOfWay {
  func send() -> AnyPublisher<RESTResponse, any Error> { send(adding: []) }
}
