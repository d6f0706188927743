import Foundation

/// What an endpoint sends, and what it says that is.
///
/// It is made anew for each attempt.
public struct EndpointBody: Sendable {
  let contentType: String?
  let data: @Sendable () throws -> Data

  /// A value as JSON.
  ///
  /// What cannot be encoded fails the call with ``RESTError`` of kind `invalidRequest`.
  public static func json(
    _ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()
  ) -> EndpointBody {
    EndpointBody(contentType: "application/json") { try encoder.encode(value) }
  }

  /// Bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - contentType: What they are (RFC 9110 §8.3); nil says nothing of it.
  public static func data(_ data: Data, contentType: String?) -> EndpointBody {
    EndpointBody(contentType: contentType) { data }
  }
}
