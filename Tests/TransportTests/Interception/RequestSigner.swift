import Fixtures
import Foundation
import Streams

@testable import RESTKit
@testable import RESTKitSignIn

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Signs a request over its token and its bytes, with HMAC-SHA256 (RFC 2104).
struct RequestSigner: Sendable {
  private static let key = Array("a key of 16 byte".utf8)

  /// The step that signs a body in memory.
  @Sendable func sign(_ exchange: inout InterceptedExchange) throws {
    guard let body = exchange.bodyData else { throw TestFailure(name: "not in memory") }
    put(on: &exchange, body: body)
  }

  /// The step that reads the body first, wherever it is.
  @Sendable func signReading(_ exchange: inout InterceptedExchange) async throws {
    var body = Data()
    if let opened = try exchange.body?.open() {
      for try await chunk in opened.chunks.values { body += chunk }
    }
    put(on: &exchange, body: body)
  }

  private func put(on exchange: inout InterceptedExchange, body: Data) {
    let signature = Self.signature(of: exchange.request, body: body)
    exchange.request.setValue(signature, forHTTPHeaderField: "Signature")
  }

  /// Whether the signature is that of the request's method, URL and token, and of these bytes.
  static func accepts(_ request: URLRequest, body: Data? = nil) -> Bool {
    request.value(forHTTPHeaderField: "Signature")
      == signature(of: request, body: body ?? request.httpBody ?? Data())
  }

  private static func signature(of request: URLRequest, body: Data) -> String {
    let token = request.value(forHTTPHeaderField: "Authorization") ?? "-"
    let text = "\(request.method) \(request.url?.absoluteString ?? "")\n\(token)\n"
    return hmac(of: Array(text.utf8) + body).map { String($0, radix: 16) }.joined(separator: ".")
  }

  static func hmac(of message: [UInt8], key: [UInt8] = key) -> [UInt8] {
    let key = key + Array(repeating: 0, count: 64 - key.count)
    return SHA256.hash(key.map { $0 ^ 0x5C } + SHA256.hash(key.map { $0 ^ 0x36 } + message))
  }
}
