import Foundation
import RESTKit
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response without an exchange.
package func makeResponse(
  _ body: String = "", status: Int = 200, headers: HTTPHeaders = [:],
  url: String = "https://api.example.com/v1/x"
) throws -> RESTResponse {
  try makeResponse(Data(body.utf8), status: status, headers: headers, url: url)
}

package func makeResponse(
  _ body: Data, status: Int = 200, headers: HTTPHeaders = [:],
  url: String = "https://api.example.com/v1/x"
) throws -> RESTResponse {
  let url = try #require(URL(string: url))
  return RESTResponse(
    head: ResponseHead(url: url, statusCode: status, headers: headers), data: body,
    request: RequestSummary(method: .get, url: url))
}
