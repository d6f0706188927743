import Foundation
import RESTKit

/// What a ``MockServer`` answers, and how it delivers the answer.
///
/// `Content-Length` is added unless the headers have it or `Transfer-Encoding`; none for 1xx, 204
/// and 304. The answer to a `HEAD` has the length and no body. The connection stays open unless
/// the request or these headers say `Connection: close`, or the delivery ends it.
///
/// A response that cannot be written (a status outside 100...999, a line break in a field, pieces with a
/// `Content-Length` that is none) becomes a 500 whose body names the fault; to send broken syntax on purpose use ``Delivery/raw(_:)``.
public struct MockResponse: Sendable {
  /// The status code, 100...999.
  public var status: Int

  /// The reason phrase; empty when the status has no standard one and none was given.
  public var reason: String

  /// The fields in the order to send, duplicates kept.
  public var headers: [(name: String, value: String)]

  /// The body; the deliveries in chunks, in pieces and of raw bytes bring their own.
  public var body: Data

  /// What of the response is sent, and how.
  public var delivery: Delivery

  /// Holds the response back until the gate opens.
  ///
  /// While it waits, the server notices when the client closes.
  public var gate: MockGate?

  /// Makes a response; `reason` nil means the standard phrase of the status.
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
