import Foundation
import HTTPTypes
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPResponse {
  /// Makes a response with the status and the header fields of another one, duplicates in their order.
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
  /// Makes a head with the status and the header fields of a response, duplicates in their order.
  ///
  /// - Parameters:
  ///   - response: The response. Its reason phrase is left out.
  ///   - url: The URL that answered.
  ///   - httpVersion: Such as `HTTP/2`; empty where it is not known.
  public init(_ response: HTTPResponse, url: URL, httpVersion: String = "") {
    self.init(
      url: url, statusCode: response.status.code, httpVersion: httpVersion,
      headers: HTTPHeaders(response.headerFields))
  }
}

extension RESTResponse {
  /// Makes a whole response.
  ///
  /// - Parameters:
  ///   - response: The status and the header fields.
  ///   - data: The body, with its content encoding undone.
  ///   - request: The request that was answered; the response has its URL.
  public init(_ response: HTTPResponse, data: Data, to request: URLRequest) {
    self.init(
      head: ResponseHead(response, url: request.url ?? URL(fileURLWithPath: "/")), data: data,
      request: RequestSummary(request))
  }
}
