import Foundation
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The step of a call that finds a stored response, or another call that asks for the same.
///
/// It sees each request as it was built, also after a redirect and after a refused token. So the
/// effects of a session, a retry policy and a log stay separate for each caller. Responses in
/// pieces bypass it.
struct CacheStep: Sendable {
  private let cache: HTTPCache?
  private let options: CacheOptions?
  private let coalescer: RequestCoalescer?
  /// Whether the pipeline itself asks for sharing, so that it applies to each response.
  private let isSharedByHand: Bool

  init(
    _ cache: HTTPCache?, options: CacheOptions?, coalescer: RequestCoalescer?,
    isSharedByHand: Bool
  ) {
    self.cache = cache
    self.options = options
    self.coalescer = coalescer
    self.isSharedByHand = isSharedByHand
  }

  /// Returns the response to a request, to be subscribed to once and at once.
  func response(for request: any RestOfWay) -> AnyPublisher<RESTResponse, any Error> {
    if let cache,
      let cached = CacheLookup(
        request, in: cache, options: options, coalescer: coalescer, isSharedByHand: isSharedByHand)
    {
      return cached.response
    }
    return coalescer?.response(for: request) ?? request.send()
  }

  /// Records the head of a response in pieces.
  func note(_ head: ResponseHead, inPiecesTo request: URLRequest) {
    cache?.note(head, inPiecesTo: request)
    coalescer?.note(head, inPiecesTo: request)
  }
}

/// The way in which a pipeline uses its cache, if it is not the standard.
final class CacheOptions: Sendable {
  /// Whether the server is always asked.
  let isRevalidated: Bool
  /// The moment from which on stored responses count as fresh.
  ///
  /// If it is set, no stale response is used.
  let refusesStaleSince: Date?
  private let stale = Atomic<Bool>(false)

  init(isRevalidated: Bool = false, refusesStaleSince: Date? = nil) {
    self.isRevalidated = isRevalidated
    self.refusesStaleSince = refusesStaleSince
  }

  var refusesStale: Bool { refusesStaleSince != nil }

  /// Whether a stale response was delivered.
  var gaveStale: Bool { stale.load(ordering: .relaxed) }

  func noteStale() { stale.store(true, ordering: .relaxed) }
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

/// The rest of the way of a request behind the cache: leave, and be sent.
///
/// It is a protocol because the steps behind the cache name a session, whose layer is above the
/// layer of the cache. It is an object because it is stored in several places.
protocol RestOfWay: AnyObject, Sendable {
  var request: URLRequest { get }
  var transport: any Transport { get }

  /// The latest departure of the request; nil before the first.
  var departure: Departure? { get }

  /// The principal, the same for a request and all its redirects.
  var principal: SignInSpan? { get }

  /// Whether the request leaves with a credential of the principal, which it may not have yet.
  ///
  /// A redirect to another origin drops it.
  var isBound: Bool { get }

  /// Whether a response refuses the principal's credential, and so does not apply to the principal
  /// with another credential.
  func isRefusal(_ response: RESTResponse) -> Bool

  /// The time limits; nil for no limit.
  var patience: ExchangePatience? { get }

  /// The longest exchange; nil for no limit.
  var timeLimit: Duration? { get }

  /// The names of secrets.
  var secretNames: SecretNames { get }

  /// Returns the response by an exchange of its own, which is counted and recorded now.
  ///
  /// - Parameters:
  ///   - fields: Further header fields of the request.
  ///   - isShared: Whether other calls may wait for the exchange, so that it ends at no deadline of
  ///     this one.
  func send(
    adding fields: [HTTPHeaders.Element], isShared: Bool
  ) -> AnyPublisher<RESTResponse, any Error>

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
  func send(isShared: Bool = false) -> AnyPublisher<RESTResponse, any Error> {
    send(adding: [], isShared: isShared)
  }

  /// Who asks, and over which road.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the request.
  ///   - url: The URL of the request.
  func identity(with fields: [String: String], to url: String) -> RequestIdentity {
    RequestIdentity(
      of: fields, to: url, over: transport.identity, askedBy: principal, names: secretNames)
  }
}
