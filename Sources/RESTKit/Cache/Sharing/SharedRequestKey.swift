import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What two requests have in common that one exchange answers: all that may change the answer.
///
/// It is strict: a request that is sent without need costs an exchange, an answer that is shared without
/// right shows one user what is another's. It is an object, since it goes to several places.
final class SharedRequestKey: Hashable, Sendable {
  private let method: HTTPMethod
  private let url: String
  private let fields: [String: String]
  private let asker: RequestAsker?
  private let timeLimit: Duration?
  /// Kept, so that another object cannot come to stand in its place.
  private let transport: any Transport
  private let transportID: ObjectIdentifier
  private let hash: Int

  /// - Parameter ignored: The names of header fields that make no difference, in lower case.
  /// - Returns: nil for a request that is not shared.
  convenience init?(_ exchange: any SeatedExchange, ignoring ignored: Set<String>) {
    self.init(
      exchange.request, over: exchange.transport, askedBy: exchange.asker,
      timeLimit: exchange.patience?.limit, ignoring: ignored)
  }

  init?(
    _ request: URLRequest, over transport: any Transport, askedBy asker: RequestAsker? = nil,
    timeLimit: Duration? = nil, ignoring ignored: Set<String> = []
  ) {
    method = request.method
    guard method == .get || method == .head, let url = request.url?.absoluteString,
      request.httpBody == nil, request.httpBodyStream == nil
    else { return nil }
    self.url = url
    let fields = request.allHTTPHeaderFields ?? [:]
    self.fields =
      ignored.isEmpty ? fields : fields.filter { !ignored.contains($0.key.lowercased()) }
    self.asker = asker
    self.timeLimit = timeLimit
    self.transport = transport
    transportID = transport.identity
    var hasher = Hasher()
    hasher.combine(method)
    hasher.combine(url)
    // The same in whatever order they come, and however their names are spelled.
    hasher.combine(self.fields.values.reduce(0) { $0 ^ $1.hashValue })
    hash = hasher.finalize()
  }

  /// Whether it asks for one of these targets.
  func asks(for targets: [String]) -> Bool {
    guard let url = URL(string: url), let target = CacheKey.target(url) else { return false }
    return targets.contains(target)
  }

  static func == (lhs: SharedRequestKey, rhs: SharedRequestKey) -> Bool {
    lhs.hash == rhs.hash && lhs.url == rhs.url && lhs.method == rhs.method
      && lhs.transportID == rhs.transportID && lhs.timeLimit == rhs.timeLimit
      && lhs.asker == rhs.asker
      && (lhs.fields == rhs.fields || lhs.sortedFields == rhs.sortedFields)
  }

  /// The fields with names in lower case: names may be spelled in several ways.
  private var sortedFields: [[String]] {
    fields.map { [$0.key.lowercased(), $0.value] }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
