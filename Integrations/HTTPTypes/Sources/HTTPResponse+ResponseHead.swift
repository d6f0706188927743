import Foundation
import HTTPTypes
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPResponse {
  /// Creates a response with the status and the header fields of a head, with duplicates in their
  /// order.
  ///
  /// - Throws: ``HTTPTypesError`` for a status outside 100...999 and for a field that is not valid.
  public init(_ head: ResponseHead) throws(HTTPTypesError) {
    guard 100...999 ~= head.statusCode else {
      throw HTTPTypesError(
        .status, "is outside 100...999", remedy: "Give it three digits (RFC 9110 §15).")
    }
    self.init(
      status: Status(code: head.statusCode), headerFields: try HTTPFields(head.headers))
  }
}

extension ResponseHead {
  /// Creates a head with the status and the header fields of a response, with duplicates in their
  /// order.
  ///
  /// - Parameters:
  ///   - response: The response. Its reason phrase is left out.
  ///   - url: The URL that sent the response.
  ///   - httpVersion: The protocol's version, such as `HTTP/2`, or an empty string if it is not
  ///     known.
  public init(_ response: HTTPResponse, url: URL, httpVersion: String = "") {
    self.init(
      url: url, statusCode: response.status.code, httpVersion: httpVersion,
      headers: HTTPHeaders(response.headerFields))
  }
}

extension RESTResponse {
  /// Creates a whole response.
  ///
  /// - Parameters:
  ///   - response: The status and the header fields.
  ///   - data: The body, with its content coding removed.
  ///   - request: The request of this response. The response has its URL.
  public init(_ response: HTTPResponse, data: Data, to request: URLRequest) {
    self.init(
      head: ResponseHead(response, url: request.url ?? URL(fileURLWithPath: "/")), data: data,
      request: RequestSummary(request))
  }
}
