import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts of a request that identical requests share: everything that may change the response.
///
/// It is strict: an unnecessary request costs an exchange, but a wrongly shared response shows one user
/// another user's data. It is an object because it is stored in several places.
final class SharedRequestKey: Hashable, Sendable {
  private let method: HTTPMethod
  private let url: String
  private let fields: [String: String]
  private let principal: SignInSpan?
  /// Whether the request leaves with a credential of the principal.
  private let isBound: Bool
  private let timeLimit: Duration?
  /// The transport, retained so that no other object can get its identity.
  private let transport: any Transport
  private let transportID: ObjectIdentifier
  private let hash: Int

  /// - Parameter ignored: The names of header fields that make no difference, in lower case.
  /// - Returns: nil for a request that is not shared.
  convenience init?(_ exchange: any RestOfWay, ignoring ignored: Set<String>) {
    self.init(
      exchange.request, over: exchange.transport, askedBy: exchange.principal,
      isBound: exchange.isBound, timeLimit: exchange.patience?.limit, ignoring: ignored)
  }

  init?(
    _ request: URLRequest, over transport: any Transport, askedBy principal: SignInSpan? = nil,
    isBound: Bool = false, timeLimit: Duration? = nil, ignoring ignored: Set<String> = []
  ) {
    method = request.method
    guard method == .get || method == .head, let url = request.url?.absoluteString,
      request.httpBody == nil, request.httpBodyStream == nil
    else { return nil }
    self.url = url
    let fields = request.allHTTPHeaderFields ?? [:]
    self.fields =
      ignored.isEmpty ? fields : fields.filter { !ignored.contains($0.key.lowercased()) }
    self.principal = principal
    self.isBound = isBound
    self.timeLimit = timeLimit
    self.transport = transport
    transportID = transport.identity
    var hasher = Hasher()
    hasher.combine(method)
    hasher.combine(url)
    // The hash does not depend on the order of the fields or the spelling of their names.
    hasher.combine(self.fields.values.reduce(0) { $0 ^ $1.hashValue })
    hash = hasher.finalize()
  }

  /// Whether the request is for one of these targets.
  func asks(for targets: [String]) -> Bool {
    guard let url = URL(string: url), let target = CacheKey.target(url) else { return false }
    return targets.contains(target)
  }

  static func == (lhs: SharedRequestKey, rhs: SharedRequestKey) -> Bool {
    lhs.hash == rhs.hash && lhs.url == rhs.url && lhs.method == rhs.method
      && lhs.transportID == rhs.transportID && lhs.timeLimit == rhs.timeLimit
      && lhs.principal === rhs.principal && lhs.isBound == rhs.isBound
      && (lhs.fields == rhs.fields || lhs.sortedFields == rhs.sortedFields)
  }

  /// The fields with names in lower case, because the spelling of names may differ.
  private var sortedFields: [[String]] {
    fields.map { [$0.key.lowercased(), $0.value] }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
