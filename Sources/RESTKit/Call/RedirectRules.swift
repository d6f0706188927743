import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rules that make the next request from a redirect.
///
/// They are those of RFC 9110 §15.4. A 303 leads to a GET, or to a HEAD after a HEAD. A POST
/// becomes a GET after a 301 or 302. After a 307 or 308, and for other methods after a 301 or 302,
/// the method and the body stay. A target on another origin never receives a secret header. A
/// redirect from https to http is never followed. A 3xx without a `Location` is delivered
/// unchanged, and so are 300, 304 and 305.
struct RedirectRules: Sendable {
  let policy: RedirectPolicy
  /// The names of secrets, whose header fields must not leave their origin.
  let secretNames: SecretNames
  /// The names that the API declares; nil for none.
  let declaredSecrets: DeclaredSecrets?
  let bound: RedirectBound

  /// - Parameter secretHeaders: The names of further secrets.
  init(
    policy: RedirectPolicy = .follow, secretHeaders: [String] = [], bound: RedirectBound = .none
  ) {
    self.policy = policy
    declaredSecrets = DeclaredSecrets.declared(secretHeaders)
    secretNames = declaredSecrets?.list ?? .standard
    self.bound = bound
  }

  /// Returns the request that a response redirects to; nil if the response is to be delivered.
  ///
  /// - Throws: `RESTError` of kind `redirect` if the target must not be followed.
  ///
  /// - Parameter response: The response. For a response in pieces, it has no data.
  func next(after response: RESTResponse, to request: URLRequest) throws(RESTError) -> URLRequest? {
    guard policy != .never, Self.isRedirect(response.statusCode),
      let source = request.url, let target = try target(of: response, from: source)
    else { return nil }
    let leavesOrigin = Origin(source) != Origin(target)
    guard bound == .none || bound == .origin && !leavesOrigin else {
      throw Self.refusal(
        response,
        "redirected to \(Self.place(target)), and RESTKit does not pass on the credential in the "
          + "request",
        remedy: "Send the request directly to that URL if you trust it.")
    }
    guard !leavesOrigin || policy == .follow else {
      throw Self.refusal(
        response,
        "redirected to another origin, \(Self.place(target))",
        remedy: "Call that URL directly, or let this API follow with `redirects: .follow`.")
    }
    var next = Self.request(request, to: target, status: response.statusCode)
    if leavesOrigin {
      for name in (next.allHTTPHeaderFields ?? [:]).keys where secretNames.contains(field: name) {
        next.replaceHeader(name, with: nil)
      }
    }
    return next
  }

  private static func place(_ target: URL) -> String {
    RequestSummary(method: .get, url: target).location
  }

  static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  private func target(
    of response: RESTResponse, from source: URL
  ) throws(RESTError) -> URL? {
    // URLSession joins several lines, and a URL has no blank, so a line with ", " has several URLs.
    let locations = response.headers.values(for: "Location").flatMap {
      $0.components(separatedBy: ", ")
    }
    guard let location = locations.first else { return nil }
    guard locations.allSatisfy({ $0 == location }) else {
      throw Self.refusal(
        response, "redirected to two different URLs",
        remedy: "Look at the Location headers in the error's `response`.")
    }
    guard let target = RedirectTarget.url(location, from: source) else {
      throw Self.refusal(
        response, "redirected to a location that is not an http(s) URL",
        remedy: "Look at the Location header in the error's `response`.")
    }
    guard target.user == nil, target.password == nil else {
      throw Self.refusal(
        response, "redirected to a URL with user info in it",
        remedy: "Have the server remove the text before the @.")
    }
    guard target.scheme?.lowercased() == "https" || source.scheme?.lowercased() == "http" else {
      throw Self.refusal(
        response, "redirected from https to http, which would send the request in the clear",
        remedy: "Have the server redirect to https.")
    }
    return target
  }

  /// Whether a redirect with this status drops the body.
  static func becomesGet(_ request: URLRequest, status: Int) -> Bool {
    status == 303 && request.method != .head
      || (status == 301 || status == 302) && request.method == .post
  }

  private static func request(
    _ request: URLRequest, to target: URL, status: Int
  ) -> URLRequest {
    var next = request
    next.url = target
    if becomesGet(request, status: status) {
      next.httpMethod = "GET"
      next.httpBody = nil
      next.httpBodyStream = nil
      for name in ["Content-Type", "Content-Encoding", "Content-Language"] {
        next.replaceHeader(name, with: nil)
      }
    }
    return next
  }

  static func refusal(_ response: RESTResponse, _ reason: String, remedy: String) -> RESTError {
    response.recording(
      RESTError(.redirect, reason: "the server \(reason)", remedy: remedy, response: response))
  }
}

/// The limit of a request's redirects, independent of its API's policy: a body with a credential
/// would be passed on, since 307 and 308 keep the body.
enum RedirectBound: Sendable {
  /// The API's policy applies.
  case none
  /// Only redirects within the origin.
  case origin
  /// No redirects.
  case place

  /// The context key of a token request's bound.
  enum Key: SubscriptionContextKey {
    static var defaultValue: RedirectBound { .none }
  }
}

/// The redirects that an API's requests follow.
///
/// Under any policy, a request follows at most ten redirects in a row, never from https to http. No
/// secret header leaves its origin (scheme, host and port; RFC 6454 §4).
public enum RedirectPolicy: Sendable, Hashable {
  /// None. A 3xx is delivered as any other response.
  case never
  /// Redirects within the origin. A redirect to another origin fails with a `RESTError` of kind
  /// `redirect`.
  case sameOrigin
  /// All redirects. Another origin receives the request without its secret headers.
  case follow
}
