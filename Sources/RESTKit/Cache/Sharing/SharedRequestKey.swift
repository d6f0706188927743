import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts of a request that identical requests share: everything that may change the response.
///
/// It is strict: an unnecessary request costs an exchange, but a wrongly shared response shows one
/// user another user's data. It is an object because it is stored in several places.
final class SharedRequestKey: Hashable, Sendable {
  /// A header field, with its name in lower case.
  private struct Field: Hashable {
    let name: ExactText
    let value: ExactText
  }

  private let method: HTTPMethod
  private let url: String
  /// The fields by name.
  private let fields: [Field]
  private let identity: RequestIdentity
  /// Whether the request leaves with a credential of the principal.
  private let isBound: Bool
  private let timeLimit: Duration?
  /// The transport's, since a response beyond those of one may be within those of another.
  private let limits: TransportLimits
  // A dictionary asks for it with the lock of all exchanges held.
  private let hash: Int

  /// - Parameters:
  ///   - identity: Who asks; nil if it is not known yet.
  ///   - ignored: The names of header fields that make no difference, in lower case.
  /// - Returns: nil for a request that is not shared.
  convenience init?(
    _ exchange: any RestOfWay, as identity: RequestIdentity? = nil, ignoring ignored: Set<String>
  ) {
    let request = exchange.request
    let fields = request.allHTTPHeaderFields ?? [:]
    self.init(
      request, with: fields,
      as: { identity ?? exchange.identity(with: fields, to: $0) },
      isBound: exchange.isBound, timeLimit: exchange.timeLimit,
      within: exchange.transport.limits, ignoring: ignored)
  }

  /// - Parameters:
  ///   - fields: The header fields of the request.
  ///   - identity: A closure that returns who asks, for the URL.
  ///   - isBound: Whether the request leaves with a credential of the principal.
  init?(
    _ request: URLRequest, with fields: [String: String],
    as identity: (_ url: String) -> RequestIdentity,
    isBound: Bool = false, timeLimit: Duration? = nil,
    within limits: TransportLimits = TransportLimits(), ignoring ignored: Set<String> = []
  ) {
    let method = request.method
    guard method == .get || method == .head, request.httpBody == nil,
      request.httpBodyStream == nil, let url = request.url?.absoluteString
    else { return nil }
    let identity = identity(url)
    guard identity.road.isShared else { return nil }
    self.method = method
    self.url = url
    self.fields = fields.isEmpty ? [] : Self.sorted(fields, ignoring: ignored)
    self.identity = identity
    self.isBound = isBound
    self.timeLimit = timeLimit
    self.limits = limits
    var hasher = Hasher()
    hasher.combine(self.url)
    if !self.fields.isEmpty { hasher.combine(self.fields) }
    hasher.combine(identity)
    hash = hasher.finalize()
  }

  /// The target, as a change of it names it; nil for a URL that no change names.
  ///
  /// Nearly all exchanges end without a change meanwhile, so it is made when one asks.
  var target: String? { CacheKey.target(url) }

  private static func sorted(
    _ fields: [String: String], ignoring ignored: Set<String>
  ) -> [Field] {
    fields.map { (name: $0.key.lowercased(), value: $0.value) }
      .filter { !ignored.contains($0.name) }
      .sorted { $0.name < $1.name }
      .map { Field(name: ExactText($0.name), value: ExactText($0.value)) }
  }

  static func == (lhs: SharedRequestKey, rhs: SharedRequestKey) -> Bool {
    if lhs === rhs { return true }
    return lhs.hash == rhs.hash && lhs.url == rhs.url && lhs.method == rhs.method
      && lhs.timeLimit == rhs.timeLimit && lhs.isBound == rhs.isBound && lhs.limits == rhs.limits
      && lhs.identity == rhs.identity && lhs.fields == rhs.fields
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
