import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makers of responses without a server, for a ``ClosureTransport`` in tests and previews.
extension RESTResponse {
  /// A response with a status, and a body if one is given.
  ///
  /// - Parameters:
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields, in order.
  ///   - data: The body, with its content encoding undone.
  ///   - request: The request that the response answers. The response has its URL.
  public static func status(
    _ statusCode: Int, headers: HTTPHeaders = [:], data: Data = Data(), to request: URLRequest
  ) -> RESTResponse {
    RESTResponse(
      head: ResponseHead(
        url: request.url ?? URL(fileURLWithPath: "/"), statusCode: statusCode, headers: headers),
      data: data, request: RequestSummary(request))
  }

  /// Returns a response with a JSON text as its body.
  ///
  /// - Parameters:
  ///   - text: The body. It is not checked, so that a test can use invalid JSON.
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields. `Content-Type: application/json` is added if they have none.
  ///   - request: The request that the response answers. The response has its URL.
  public static func json(
    _ text: String, status statusCode: Int = 200, headers: HTTPHeaders = [:],
    to request: URLRequest
  ) -> RESTResponse {
    json(Data(text.utf8), status: statusCode, headers: headers, to: request)
  }

  /// Returns a response with an encoded value as its body.
  ///
  /// - Parameters:
  ///   - value: The value of the body.
  ///   - encoder: The encoder of the value.
  ///   - statusCode: The status code (RFC 9110 §15).
  ///   - headers: The header fields. `Content-Type: application/json` is added if they have none.
  ///   - request: The request that the response answers. The response has its URL.
  /// - Throws: The encoder's error.
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
