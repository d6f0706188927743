import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of an ``Endpoint`` that arrives in elements: ``EventStream``, ``JSONLines``, or a format
/// of your own.
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
/// Use it with `publisher(for:)`, `values(for:)`, and `send` with a closure for each element. If the
/// endpoint's type is generic, or the answer is requested as a whole, the call fails with ``RESTError``
/// of kind ``RESTError/Kind/decoding``.
public protocol StreamedAnswer: Sendable {
  /// The elements of the answer.
  associatedtype Element: Sendable

  /// Returns a publisher of the elements of an endpoint's answer, as they arrive.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - api: The API that the endpoint belongs to.
  ///   - requestModifier: A closure that changes each request before it is sent.
  static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Element, any Error> where Asked.Response == Self
}

extension Endpoint where Response: StreamedAnswer {
  public func answer(_ response: RESTResponse) throws -> Response {
    throw RESTError(
      .decoding,
      reason: "the response of \(Self.self) arrives in elements, but was requested as a whole",
      remedy: "Use publisher(for:) or values(for:) where the endpoint's type is known.",
      response: response)
  }
}
