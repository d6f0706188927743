import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a pipeline says about its calls.
///
/// The operators of a pipeline write the options into the context of its subscription. The way of a
/// call reads them once for each subscription to a verb. An API says the same with its properties.
struct CallOptions: Sendable {
  /// The session whose token the requests carry.
  var session: TokenSession?
  var cache: HTTPCache?
  /// The way to use the cache; nil for the standard.
  var cacheOptions: CacheOptions?
  var coalescer: RequestCoalescer?
  var limiter: RateLimiter?
  /// The changes of a request in a task.
  var modification: RequestModification?
  /// The last change of a request while it is built, such as a place to resume from.
  var preparer: RequestPreparer?
  /// The closures that see the head of each response.
  var headHandler: HeadHandler?
  /// Notes the decoder that the API has for its responses.
  var noteDecoder: (@Sendable (JSONDecoder) -> Void)?
  /// The stage around each response in pieces.
  var stageOfPieces: StageOfPieces?
  /// The earliest deadline, with the calls that it ends.
  var deadline: DeadlineRecord?
  /// Whether a retry is downstream, which is then the only one.
  var isRetried = false

  /// The options of another request that a call needs, such as its refresh.
  ///
  /// That request is a call of its own, at the same service, with the same deadline.
  var ofChainedRequest: CallOptions {
    var options = CallOptions()
    options.coalescer = coalescer
    options.limiter = limiter
    options.modification = modification
    options.deadline = deadline
    return options
  }

  /// Adds a change of a request that runs before those of the operators further from the verb.
  mutating func prepare(_ change: @escaping RequestPreparer) {
    guard let later = preparer else { return preparer = change }
    preparer = { request in
      let place = try change(&request)
      return try later(&request) ?? place
    }
  }

  /// Adds a closure that sees the head of each response before those of the operators further from
  /// the verb.
  mutating func handleHead(_ handle: @escaping HeadHandler) {
    guard let later = headHandler else { return headHandler = handle }
    headHandler = { head in
      try handle(head)
      try later(head)
    }
  }

  fileprivate enum Key: SubscriptionContextKey {
    static var defaultValue: CallOptions { CallOptions() }
  }
}

/// A closure that sees the head of a response, and may refuse the response.
typealias HeadHandler = @Sendable (ResponseHead) throws -> Void

/// A stage around a response in pieces, such as the limit of its silence.
typealias StageOfPieces =
  @Sendable (AnyPublisher<TransferEvent, any Error>, RequestSummary) ->
  AnyPublisher<TransferEvent, any Error>

extension SubscriptionContext {
  /// The options that the pipeline downstream has given.
  var options: CallOptions { self[CallOptions.Key.self] }

  func setting(_ options: CallOptions) -> SubscriptionContext {
    setting(CallOptions.Key.self, to: options)
  }

  func changingOptions(_ change: (inout CallOptions) -> Void) -> SubscriptionContext {
    var options = options
    change(&options)
    return setting(options)
  }
}

extension Publisher where Failure == any Error {
  /// Gives options to all calls of the upstream pipeline.
  func options(
    _ change: @escaping @Sendable (inout CallOptions) -> Void
  ) -> AnyPublisher<Output, any Error> {
    eraseToAnyPublisher().changing(change)
  }
}

extension AnyPublisher where Failure == any Error {
  // Most calls deliver a response, and code that is not specialized looks up its types each time.
  @_specialize(where Output == RESTResponse, Failure == any Error)
  fileprivate func changing(
    _ change: @escaping @Sendable (inout CallOptions) -> Void
  ) -> AnyPublisher<Output, any Error> {
    AnyPublisher(WithOptions(upstream: self, change: change))
  }
}

private struct WithOptions<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let upstream: AnyPublisher<Output, any Error>
  let change: @Sendable (inout CallOptions) -> Void

  func receive(subscriber: some Subscriber<Output, any Error>) {
    var options = subscriber.context.options
    change(&options)
    upstream.context(CallOptions.Key.self, options).receive(subscriber: subscriber)
  }
}

/// Whether a request carries the token of its API's ``RESTAPI/session``.
public enum RequestAuthorization: Sendable {
  /// The request carries the session's token if the API has a session; see ``TokenSession``.
  ///
  /// A call that is already authorized keeps its authorization: a call in `session.authorize(…)`
  /// carries the token of that session, and a call of a session's own refresh carries none of that
  /// session's tokens. A grant that works in a task uses `none` for its calls, because a task does
  /// not show which session it belongs to.
  case session
  /// The request does not carry the token of the API's session. `session.authorize(…)` still adds
  /// its own session's token.
  case none
}
