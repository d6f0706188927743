import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keeps responses in memory that a server may confirm in the place of sending them again.
///
/// Nothing of it is used without asking the server (RFC 9110 §13): see
/// ``Streams/Publisher/revalidated(in:)``. A response is kept for the URL and for who asked, so that
/// nobody gets another's: for the ``TokenSession/Identity`` of the session that authorized the
/// request, whatever token it has by then, or else for its `Authorization`; and for its `Cookie`.
///
/// It may be used on any thread, and by several APIs.
public final class ResponseCache: Sendable {
  struct Key: Hashable {
    enum Asker: Hashable {
      case known(RequestAsker)
      case authorization(String?)
    }

    let url: String
    let asker: Asker
    let cookie: String?
  }

  struct Entry: Sendable {
    let response: RESTResponse
    /// The request's own headers that the response depends on (RFC 9110 §12.5.5), but for those that
    /// the key has.
    let varying: [String: String?]
    var lastUse: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var bytes = 0
    var uses = 0

    mutating func remove(_ key: Key) {
      if let entry = entries.removeValue(forKey: key) { bytes -= entry.response.data.count }
    }
  }

  private let maximumBytes: Int
  private let state = Lock(State())

  /// - Parameter maximumBytes: How many bytes of bodies it keeps at most; those used longest ago go
  ///   first.
  public init(maximumBytes: Int = 16 << 20) {
    self.maximumBytes = maximumBytes
  }

  /// Forgets everything: when somebody signs out, for one.
  public func removeAll() {
    let released = state.withLock { exchange(&$0, with: State()) }
    withExtendedLifetime(released) {}
  }

  /// What is kept for a request.
  func entry(for request: URLRequest, askedBy asker: RequestAsker? = nil) -> Entry? {
    guard let key = Key(request, askedBy: asker) else { return nil }
    return state.withLock { state in
      guard let entry = state.entries[key],
        entry.varying.allSatisfy({ request.value(forHTTPHeaderField: $0.key) == $0.value })
      else { return nil }
      state.uses += 1
      state.entries[key]?.lastUse = state.uses
      return entry
    }
  }

  func keep(
    _ response: RESTResponse, for request: URLRequest,
    askedBy asker: RequestAsker? = nil
  ) {
    guard let key = Key(request, askedBy: asker) else { return }
    let names = response.headers.tokens(of: "Vary").filter { !Key.headers.contains($0) }
    let varying = Dictionary(
      names.map { ($0, request.value(forHTTPHeaderField: $0)) }, uniquingKeysWith: { $1 })
    state.withLock { state in
      state.remove(key)
      guard response.isKeepable, response.data.count <= maximumBytes else { return }
      state.uses += 1
      state.entries[key] = Entry(response: response, varying: varying, lastUse: state.uses)
      state.bytes += response.data.count
      while state.bytes > maximumBytes,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.remove(oldest.key)
      }
    }
  }
}

extension ResponseCache.Key {
  fileprivate static let headers: Set = ["authorization", "cookie"]

  /// - Returns: nil for a request that is no plain GET.
  fileprivate init?(_ request: URLRequest, askedBy asker: RequestAsker?) {
    guard request.method == .get, let url = request.url,
      request.value(forHTTPHeaderField: "Range") == nil
    else { return nil }
    self.init(
      url: url.absoluteString,
      asker: asker.map { .known($0) }
        ?? .authorization(request.value(forHTTPHeaderField: "Authorization")),
      cookie: request.value(forHTTPHeaderField: "Cookie"))
  }
}

extension RESTResponse {
  /// Whether the server can confirm it later, and lets it be kept (RFC 9111 §5.2.2.5).
  fileprivate var isKeepable: Bool {
    statusCode == 200 && (headers.contains("ETag") || headers.contains("Last-Modified"))
      && !headers.tokens(of: "Cache-Control").contains("no-store")
      && !headers.tokens(of: "Vary").contains("*")
  }
}

extension HTTPHeaders {
  /// The members of a field that is a list of tokens, in lower case.
  fileprivate func tokens(of name: String) -> [String] {
    values(for: name).flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
  }
}
