import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPClientRequest {
  /// Creates the client's form of a checked request, with the body that the request has in memory,
  /// if any.
  init(_ request: URLRequest) {
    self.init(url: request.url?.absoluteString ?? "")
    method = NIOHTTP1.HTTPMethod(rawValue: request.httpMethod ?? "GET")
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      headers.add(
        name: name, value: value.trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
    }
    let defaults = [
      ("User-Agent", "RESTKit/0.1"), ("Accept", "*/*"),
      ("Accept-Encoding", ResponseIntake.acceptedCodings),
    ]
    for (name, value) in defaults where !headers.contains(name: name) {
      headers.add(name: name, value: value)
    }
    if let data = request.httpBody, !data.isEmpty { body = .bytes(ByteBuffer(bytes: data)) }
  }
}

extension ResponseHead {
  /// - Parameter url: The URL of the request, since no redirect is followed.
  init(_ response: HTTPClientResponse, url: URL?) {
    let version = response.version
    self.init(
      url: url ?? URL(fileURLWithPath: "/"), statusCode: Int(response.status.code),
      httpVersion: version.major > 1
        ? "HTTP/\(version.major)" : "HTTP/\(version.major).\(version.minor)",
      headers: RESTKit.HTTPHeaders(response.headers.map { ($0.name, $0.value) }))
  }
}
