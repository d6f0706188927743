import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an ``Endpoint`` is answered with where that comes bit by bit: ``EventStream``, ``JSONLines``, or a
/// format of your own.
///
/// ```swift
/// struct Prices: Endpoint {
///   typealias Response = JSONLines<Price>
///   var path: ResourcePath { "prices" }
/// }
///
/// for try await price in api.values(for: Prices()) { show(price) }
/// ```
///
/// `publisher(for:)`, `values(for:)` and `send` with a closure for each element serve it. Where an endpoint's
/// type is generic, or the answer is asked for as a whole, it fails with ``RESTError`` of kind
/// ``RESTError/Kind/decoding``.
public protocol StreamedAnswer: Sendable {
  /// What the answer consists of.
  associatedtype Element: Sendable

  /// The elements of an endpoint's answer, as they come.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - api: Whom to ask.
  ///   - requestModifier: Changes each request before it is sent.
  static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Element, any Error> where Asked.Response == Self
}

extension Endpoint where Response: StreamedAnswer {
  public func answer(_ response: RESTResponse) throws -> Response {
    throw RESTError(
      .decoding,
      reason: "the answer of \(Self.self) comes bit by bit, and was asked for as a whole",
      remedy: "Use publisher(for:) or values(for:) where the endpoint's type is known.",
      response: response)
  }
}
