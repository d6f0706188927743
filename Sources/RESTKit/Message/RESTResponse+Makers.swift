import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Responses without a server, for a ``ClosureTransport`` in tests and previews.
extension RESTResponse {
  /// A response with a status, and a body if one is given.
  ///
  /// - Parameters:
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields, in order.
  ///   - data: The body, with its content encoding undone.
  ///   - request: The request that it answers; the response has its URL.
  public static func status(
    _ statusCode: Int, headers: HTTPHeaders = [:], data: Data = Data(), to request: URLRequest
  ) -> RESTResponse {
    RESTResponse(
      head: ResponseHead(
        url: request.url ?? URL(fileURLWithPath: "/"), statusCode: statusCode, headers: headers),
      data: data, request: RequestSummary(request))
  }

  /// A response with a body of JSON text, as it is given.
  ///
  /// - Parameters:
  ///   - text: The body. It is not checked, so that it may be broken on purpose.
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields; `Content-Type: application/json` is added unless they have one.
  ///   - request: The request that it answers; the response has its URL.
  public static func json(
    _ text: String, status statusCode: Int = 200, headers: HTTPHeaders = [:],
    to request: URLRequest
  ) -> RESTResponse {
    json(Data(text.utf8), status: statusCode, headers: headers, to: request)
  }

  /// A response with a value as JSON.
  ///
  /// - Parameters:
  ///   - value: What the body is made of.
  ///   - encoder: What encodes it.
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields; `Content-Type: application/json` is added unless they have one.
  ///   - request: The request that it answers; the response has its URL.
  /// - Throws: What the encoder throws.
  public static func json(
    encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder(),
    status statusCode: Int = 200, headers: HTTPHeaders = [:], to request: URLRequest
  ) throws -> RESTResponse {
    json(try encoder.encode(value), status: statusCode, headers: headers, to: request)
  }

  private static func json(
    _ data: Data, status: Int, headers: HTTPHeaders, to request: URLRequest
  ) -> RESTResponse {
    var headers = headers
    if !headers.contains("Content-Type") { headers["Content-Type"] = "application/json" }
    return .status(status, headers: headers, data: data, to: request)
  }
}
