import Foundation
import RESTKit

/// A response of a ``MockServer``, and the way in which it is sent.
///
/// The server adds `Content-Length`, unless the headers have it or `Transfer-Encoding`, or the status is
/// 1xx, 204 or 304. The response to a `HEAD` has the length and no body. The connection stays open, unless
/// the request or these headers say `Connection: close`, or the delivery ends the connection.
///
/// A response that cannot be written becomes a 500 whose body names the fault. Examples are a status
/// outside 100...999, a line break in a field, and pieces with a `Content-Length` that is not a number. To
/// send broken syntax on purpose, use ``Delivery/raw(_:)``.
public struct MockResponse: Sendable {
  /// The status code, 100...999.
  public var status: Int

  /// The reason phrase; empty if the status has no standard phrase and none was given.
  public var reason: String

  /// The header fields in their order, with duplicates.
  public var headers: [(name: String, value: String)]

  /// The body; deliveries in chunks, in pieces and of raw bytes do not use it.
  public var body: Data

  /// The way in which the response is sent.
  public var delivery: Delivery

  /// A gate that holds the response back until it opens.
  ///
  /// While it waits, the server notices when the client closes.
  public var gate: MockGate?

  /// Creates a response; if `reason` is nil, it has the standard phrase of the status.
  public init(
    status: Int, reason: String? = nil, headers: [(name: String, value: String)] = [],
    body: Data = Data(), delivery: Delivery = .whole, gate: MockGate? = nil
  ) {
    self.status = status
    self.reason = reason ?? HTTPStatus.phrase(for: status) ?? ""
    self.headers = headers
    self.body = body
    self.delivery = delivery
    self.gate = gate
  }

  /// Returns a response with JSON text, sent as it is, and `Content-Type: application/json`.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - status: The status code, 100...999.
  ///   - headers: Further header fields. A `Content-Type` among them replaces the default one.
  ///   - delivery: The part of the response that is sent, and the way it is sent.
  ///   - gate: Holds the response back until it opens.
  public static func json(
    _ text: String, status: Int = 200, headers: HTTPHeaders = [:], delivery: Delivery = .whole,
    gate: MockGate? = nil
  ) -> MockResponse {
    MockResponse(
      text, contentType: "application/json", status: status, headers: headers, delivery: delivery,
      gate: gate)
  }

  /// Returns a response with plain text in UTF-8.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - status: The status code, 100...999.
  ///   - headers: Further header fields. A `Content-Type` among them replaces the default one.
  ///   - delivery: The part of the response that is sent, and the way it is sent.
  ///   - gate: Holds the response back until it opens.
  public static func text(
    _ text: String, status: Int = 200, headers: HTTPHeaders = [:], delivery: Delivery = .whole,
    gate: MockGate? = nil
  ) -> MockResponse {
    MockResponse(
      text, contentType: "text/plain; charset=utf-8", status: status, headers: headers,
      delivery: delivery, gate: gate)
  }

  private init(
    _ text: String, contentType: String, status: Int, headers: HTTPHeaders, delivery: Delivery,
    gate: MockGate?
  ) {
    var fields = Array(headers)
    if !headers.contains("Content-Type") { fields.insert(("Content-Type", contentType), at: 0) }
    self.init(
      status: status, headers: fields, body: Data(text.utf8), delivery: delivery, gate: gate)
  }
}
