import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sits between the requests of a call and its transport, and may bring an answer otherwise than by an
/// exchange of the call's own.
///
/// It is asked for each request, redirects and repetitions included, when all is on it that will leave:
/// so what a session, a retry policy and a log do stays each caller's own. Exchanges in pieces go past it.
/// It is an object: one reference in the subscription's context.
protocol ExchangeSeat: AnyObject, Sendable {
  /// What answers a request, to be subscribed at once, and once.
  func response(for exchange: any SeatedExchange) -> AnyPublisher<RESTResponse, any Error>

  /// Notes the head of an answer that comes in pieces, past it.
  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  )
}

extension ExchangeSeat {
  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  ) {}
}

/// A seat, and what it has to know of a call.
struct CallSeat: Sendable {
  let seat: any ExchangeSeat
  /// Who asks: the one whose credential the call's first request carries; nil where nobody says.
  let asker: RequestAsker?
  /// What put his credential on it.
  var credential: (any RequestPreparer)?
  /// The time for the first request and all that it is redirected to.
  let timeLimit: Duration?
}

/// How long a caller waits for an exchange.
struct ExchangePatience: Sendable {
  /// The time for the call's first request and all that it is redirected to.
  let limit: Duration
  /// When that is over.
  let end: ContinuousClock.Instant

  /// Whether who has this patience need not wait longer for an exchange of another's patience than for
  /// one of his own.
  ///
  /// Not to the letter: threads that begin together read a clock one after another.
  func covers(_ other: ExchangePatience) -> Bool { other.end <= end + limit / 10 }
}

/// A request of a call, ready to leave: an object, since a seat keeps it in several places.
protocol SeatedExchange: AnyObject, Sendable {
  var request: URLRequest { get }
  var transport: any Transport { get }

  /// Who asks; the same for all that one request is redirected to.
  var asker: RequestAsker? { get }

  /// Whether an answer is about the credential of who asks, and so is none for him with another.
  func isRefusal(_ response: RESTResponse) -> Bool

  /// Nil for any time.
  var patience: ExchangePatience? { get }

  /// The names of header fields that are secret besides those that always are.
  var secretHeaders: [String] { get }

  /// The answer by an exchange of its own, which is counted and recorded now.
  ///
  /// - Parameter fields: What the request has besides its own header fields.
  func send(adding fields: [HTTPHeaders.Element]) -> AnyPublisher<RESTResponse, any Error>

  /// The answer to the same request for the sake of no call that waits for it: who observes the transport
  /// sees it as a call of its own.
  ///
  /// - Parameter begin: Makes it, of the request as part of that call.
  func behind(
    _ begin: @escaping @Sendable (any SeatedExchange) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error>

  /// Counts and records that it waits for another call's exchange.
  func join()

  /// Records what was decided about it.
  func record(_ event: @autoclosure () -> CallEvent.Kind)
}

extension SeatedExchange {
  func send() -> AnyPublisher<RESTResponse, any Error> { send(adding: []) }
}
