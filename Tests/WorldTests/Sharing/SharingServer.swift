import Fixtures
import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a response is of: each body says so.
struct SharingLabel: Hashable, Sendable {
  let road: Int
  let user: String
  let path: Int
  let language: String
  let edition: Int

  /// The text, which is also the tag of an entity.
  var text: String { "\(road)|\(user)|\(path)|\(language)|\(edition)" }

  init(road: Int, user: String, path: Int, language: String, edition: Int) {
    self.road = road
    self.user = user
    self.path = path
    self.language = language
    self.edition = edition
  }

  init?(_ text: Substring) {
    let parts = text.split(separator: "|").map(String.init)
    guard parts.count == 5, let road = Int(parts[0]), let path = Int(parts[2]),
      let edition = Int(parts[4])
    else { return nil }
    self.init(road: road, user: parts[1], path: path, language: parts[3], edition: edition)
  }
}

/// The servers of all roads: the same URLs, and other content on each.
struct SharingServer: Sendable {
  struct Failure: Sendable {
    let end: Duration
    let isUnreachable: Bool
  }

  /// The field with the number of the exchange that a response is of.
  static let exchangeField = "X-Exchange"

  let plan: SharingPlan
  private var editions: [[Int]]
  private var users: [String: Int] = [:]
  private var refused: Set<String> = []
  /// The users of whom a token was refused, in a response.
  private var refusedUsers: Set<Int> = []
  /// The tokens that were issued after that.
  private var renewed: Set<String> = []
  private var serial = 0
  var failures: [Int: Failure] = [:]
  /// When the server last sent a response, or confirmed it.
  private(set) var confirmations: [SharingLabel: Duration] = [:]

  init(_ plan: SharingPlan) {
    self.plan = plan
    editions = Array(
      repeating: Array(repeating: 0, count: plan.policies.count), count: SharingPlan.roads)
  }

  mutating func issue(user: Int) -> String {
    serial += 1
    let token = "token-\(serial)"
    users[token] = user
    if refusedUsers.contains(user) { renewed.insert(token) }
    return token
  }

  mutating func expireTokens() { refused.formUnion(users.keys) }

  func user(of token: String) -> Int? { users[token] }

  /// Whether a token may be the one that calls have waited for because another one was refused.
  func followsRefusal(_ token: String) -> Bool { renewed.contains(token) }

  /// The token of a session that a request has.
  static func token(of request: URLRequest) -> String? {
    guard let field = request.value(forHTTPHeaderField: "Authorization"),
      field.hasPrefix("Bearer token-")
    else { return nil }
    return String(field.dropFirst("Bearer ".count))
  }

  /// - Parameter exchange: The number of the exchange, which a response names.
  /// - Returns: nil if nothing comes back.
  mutating func response(
    to request: URLRequest, by exchange: Int, over road: Int, at now: Duration
  ) throws -> RESTResponse? {
    if let failure = failures[road], failure.end > now {
      return failure.isUnreachable ? nil : try RESTResponse(to: request, status: 503)
    }
    guard let user = user(of: request) else {
      if let user = Self.token(of: request).flatMap(user(of:)) { refusedUsers.insert(user) }
      return try RESTResponse(to: request, status: 401)
    }
    let path = request.url.flatMap { Int($0.lastPathComponent) } ?? 0
    guard request.httpMethod == "GET" else {
      editions[road][path] += 1
      return try RESTResponse(to: request, data: Data("\(editions[road][path])".utf8))
    }
    let language = plan.varies[path] ? request.value(forHTTPHeaderField: "Accept-Language") : nil
    let label = SharingLabel(
      road: road, user: user, path: path, language: language ?? "-", edition: editions[road][path])
    confirmations[label] = now
    serial += 1
    let tag = "\"\(label.text)\""
    var headers = fields(plan.policies[path], at: now)
    headers.append(name: "ETag", value: tag)
    headers.append(name: Self.exchangeField, value: "\(exchange)")
    if plan.varies[path] { headers.append(name: "Vary", value: "Accept-Language") }
    if request.value(forHTTPHeaderField: "If-None-Match")?.contains(tag) == true {
      return try RESTResponse(to: request, status: 304, headers: headers)
    }
    return try RESTResponse(
      to: request, headers: headers, data: Data("\(label.text)#\(serial)".utf8))
  }

  /// The user whom a request names, by its bytes; nil for a token that is refused.
  private func user(of request: URLRequest) -> String? {
    for (index, field) in SharingPlan.fields.enumerated() {
      let value = request.value(forHTTPHeaderField: field.name)
      if value?.utf8.elementsEqual(field.value.utf8) == true { return "field \(index)" }
    }
    if request.value(forHTTPHeaderField: "Authorization") == nil { return "nobody" }
    guard let token = Self.token(of: request), let user = users[token], !refused.contains(token)
    else { return nil }
    return "user \(user)"
  }

  private func fields(_ policy: SharingPlan.Policy, at now: Duration) -> HTTPHeaders {
    let maxAge = "max-age=\(SharingPlan.lifetime)"
    switch policy {
    case .fresh: return ["Cache-Control": maxAge]
    case .staleWhileRevalidate:
      return ["Cache-Control": "\(maxAge), stale-while-revalidate=\(SharingPlan.staleTime)"]
    case .staleIfError:
      return ["Cache-Control": "\(maxAge), stale-if-error=\(SharingPlan.staleTime)"]
    case .mustRevalidate: return ["Cache-Control": "\(maxAge), must-revalidate"]
    case .noCache: return ["Cache-Control": "no-cache"]
    case .noStore: return ["Cache-Control": "no-store"]
    case .heuristic: return ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
    }
  }
}
