import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A browser of one user, at one server: keeps its cookies, follows its redirects, fills in its
/// forms.
actor Browser {
  /// The page that the browser shows, or the foreign address that a server sends it to.
  enum Place {
    case page(Page)
    case elsewhere(URL)
  }

  private let api: PeerAPI
  private var cookies: [String: String] = [:]

  init(at server: String, over transport: any Transport) {
    api = PeerAPI(server, transport, redirects: .never)
  }

  func open(_ url: URL) async throws -> Place {
    try await follow(
      api.get(endpoint: "/", requestModifier: modifier(for: url)).value, at: url)
  }

  /// Sends the form of a page, with its hidden fields.
  func submit(_ page: Page, _ fields: [String: String]) async throws -> Place {
    let form = page.hiddenFields.merging(fields) { $1 }
      .map { URLQueryItem(name: $0.key, value: $0.value) }
    let url = page.action
    return try await follow(
      api.post(endpoint: "/", body: .form(QueryItems(form)), requestModifier: modifier(for: url))
        .value,
      at: url)
  }

  private func follow(_ response: RESTResponse, at url: URL) async throws -> Place {
    for field in response.headers.values(for: "Set-Cookie") {
      // Foundation joins the lines of one name.
      for cookie in field.split(separator: #/, (?=[^\s=;,]+=)/#) {
        let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
        cookies[pair[0]] = pair.count > 1 ? pair[1] : ""
      }
    }
    guard (300..<400).contains(response.statusCode),
      let location = response.headers["Location"]
    else {
      return .page(Page(url: url, text: String(decoding: response.data, as: UTF8.self)))
    }
    let next = try #require(URL(string: location, relativeTo: url)?.absoluteURL)
    guard next.absoluteString.hasPrefix(api.baseURL) else { return .elsewhere(next) }
    return try await open(next)
  }

  private func modifier(for url: URL) -> RequestModifier {
    let cookies = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
    return { request in
      var request = request
      request.url = url
      if !cookies.isEmpty { request.setValue(cookies, forHTTPHeaderField: "Cookie") }
      return request
    }
  }
}

/// A page of HTML with a form.
struct Page: Sendable {
  let url: URL
  let text: String

  /// Where its form goes.
  var action: URL {
    guard let match = text.firstMatch(of: #/<form[^>]*\baction="([^"]+)"/#),
      let action = URL(string: Self.unescaped(match.1), relativeTo: url)
    else { return url }
    return action.absoluteURL
  }

  var hiddenFields: [String: String] {
    var fields: [String: String] = [:]
    for input in text.matches(of: #/<input[^>]*>/#) {
      var attributes: [Substring: Substring] = [:]
      for attribute in input.0.matches(of: #/([\w-]+)="([^"]*)"/#) {
        attributes[attribute.1] = attribute.2
      }
      guard attributes["type"] == "hidden", let name = attributes["name"] else { continue }
      fields[String(name)] = Self.unescaped(attributes["value"] ?? "")
    }
    return fields
  }

  func hasControl(_ name: String) -> Bool { text.contains("name=\"\(name)\"") }

  private static func unescaped(_ text: Substring) -> String {
    text.replacingOccurrences(of: "&amp;", with: "&")
      .replacingOccurrences(of: "&#x27;", with: "'")
      .replacingOccurrences(of: "&quot;", with: "\"")
  }
}
