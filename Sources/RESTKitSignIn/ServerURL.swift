import Foundation
import RESTKit

/// A checked URL of an authorization server: https, or http on this machine.
struct ServerURL: Sendable {
  let base: BaseURL
  let query: [URLQueryItem]

  /// - Parameters:
  ///   - text: The URL.
  ///   - name: The URL's name in errors.
  init(_ text: String, name: String) throws(SignInError) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts.dropFirst().first ?? ""
    guard query.utf8.allSatisfy({ 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "#") }) else {
      throw .invalidURL(name: name, reason: "has characters in its query that a URL cannot contain")
    }
    do throws(URLJoinError) {
      base = try BaseURL(parts.first.map(String.init) ?? text)
    } catch {
      throw .invalidURL(name: name, reason: error.reason)
    }
    guard base.scheme == "https" || Self.isLoopback(base.host) else {
      throw .invalidURL(name: name, reason: "does not use https, which protects secrets")
    }
    self.query = .pairs(of: query)
  }

  /// Returns the URL of an issuer, which has no query (RFC 8414 §2).
  static func issuer(_ text: String) throws(SignInError) -> ServerURL {
    guard !text.utf8.contains(UInt8(ascii: "?")) else {
      throw .invalidURL(name: "issuer", reason: "has a query")
    }
    return try ServerURL(text, name: "issuer")
  }

  /// Returns the URL with additional items in its query.
  func url(adding items: [URLQueryItem], name: String) throws(SignInError) -> URL {
    do throws(URLJoinError) {
      return try base.url(endpoint: "", query: QueryItems(query + items))
    } catch {
      throw .invalidURL(name: name, reason: error.reason)
    }
  }

  /// Returns whether a host name or address means this machine (RFC 8252 §8.3).
  private static func isLoopback(_ host: String) -> Bool {
    host == "127.0.0.1" || host == "::1" || host == "localhost"
  }
}
