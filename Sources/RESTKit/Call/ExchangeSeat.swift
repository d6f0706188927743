import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An object between the requests of a call and its transport, which may provide a response without an
/// exchange of the call's own.
///
/// It receives each request, including redirects and repetitions, in its final form. So the effects of
/// a session, a retry policy and a log stay separate for each caller. Exchanges in pieces bypass it. It
/// is an object, so that it takes one reference in the subscription's context.
protocol ExchangeSeat: AnyObject, Sendable {
  /// Returns the response to a request, to be subscribed to once and at once.
  func response(for exchange: any SeatedExchange) -> AnyPublisher<RESTResponse, any Error>

  /// The time of day, to note when a request leaves; nil if the seat does not ask for it.
  var departureDate: Date? { get }

  /// Records the head of a response in pieces, which bypasses the seat.
  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  )
}

extension ExchangeSeat {
  var departureDate: Date? { nil }

  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  ) {}
}

/// A seat with the facts that it needs about a call.
struct CallSeat: Sendable {
  let seat: any ExchangeSeat
  /// The asker whose credential the call's first request gets; nil if it is unknown.
  let asker: RequestAsker?
  /// The time limit of the first request and all its redirects.
  let timeLimit: Duration?
}

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

/// A request of a call, ready to be sent.
///
/// It is an object because a seat stores it in several places.
protocol SeatedExchange: AnyObject, Sendable {
  var request: URLRequest { get }
  var transport: any Transport { get }

  /// The latest departure of the request; nil before the first.
  var departure: Departure? { get }

  /// The asker, the same for a request and all its redirects.
  var asker: RequestAsker? { get }

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
    _ begin: @escaping @Sendable (any SeatedExchange) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error>

  /// Counts and records that the request waits for another call's exchange.
  func join()

  /// Records a decision about the request.
  func record(_ event: @autoclosure () -> CallEvent.Kind)
}

extension SeatedExchange {
  func send() -> AnyPublisher<RESTResponse, any Error> { send(adding: []) }
}
