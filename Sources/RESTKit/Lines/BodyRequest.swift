import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The request of a body, for an operator that sees only the body: for its errors, and with the
/// decoder of the request's API.
final class BodyRequest: Sendable {
  private let summary = Lock<RequestSummary?>(nil)
  fileprivate let standard = Lock<JSONDecoder?>(nil)

  /// The decoder of the API, or a plain one if the API has none.
  var decoder: JSONDecoder { standard.withLock { $0 } ?? JSONDecoder() }

  fileprivate func note(_ request: URLRequest) {
    let summary = RequestSummary(request)
    self.summary.withLock { $0 = summary }
  }

  /// Returns an error with the request, if it has none.
  func naming(_ error: RESTError) -> RESTError {
    error.naming(summary.withLock { $0 })
  }

  /// Returns a closure that receives errors with the request; nil for nil.
  func naming(
    _ receive: (@Sendable (RESTError) -> Void)?
  ) -> (@Sendable (RESTError) -> Void)? {
    receive.map { receive in { @Sendable in receive(self.naming($0)) } }
  }
}

extension Publisher where Failure == any Error {
  /// Applies an operator, whose failures then name the request of this publisher.
  ///
  /// - Parameter apply: A closure that applies the operator. It gets the request for errors that
  ///   are not failures.
  func namingRequest<Result: Sendable>(
    _ apply:
      @escaping @Sendable (AnyPublisher<Output, any Error>, BodyRequest) ->
      AnyPublisher<Result, any Error>
  ) -> AnyPublisher<Result, any Error> {
    let upstream = eraseToAnyPublisher()
    return DeferredInContext { _ in
      let request = BodyRequest()
      let observed = upstream.options { options in
        options.noteDecoder = { decoder in request.standard.withLock { $0 = decoder } }
        options.prepare {
          request.note($0)
          return nil
        }
      }
      return apply(observed, request).mapError { error in
        (error as? RESTError).map(request.naming) ?? error
      }
    }
    .eraseToAnyPublisher()
  }
}

/// The decoder of a stream's values: the given one, or that of the API.
struct StreamDecoder: Sendable {
  private let given: JSONDecoder?
  private let request: BodyRequest
  private var known: JSONDecoder?

  init(_ given: JSONDecoder?, of request: BodyRequest) {
    self.given = given
    self.request = request
  }

  /// The decoder; known once the request was made.
  var coder: JSONDecoder {
    mutating get {
      if let known { return known }
      let decoder = given ?? request.decoder
      known = decoder
      return decoder
    }
  }
}
