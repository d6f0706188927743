import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The inside, for one request:
//
//     RedirectHop, as the RestOfWay
//         │ CacheStep, for a whole response
//         ▼
//     CacheLookup           what is asked (CacheRequest), for whom (CacheKey: target and partition)
//         │ CacheDecision, of the stored responses by the rules in Rules/, which call nothing
//         ├──▶ fresh, stale           a CachedResponse at once; perhaps a Refresh behind it
//         ▼
//     validate, miss, bypass
//         │ StaleIfError              a stale response if the server fails
//         │ SharedExchanges           one exchange for all calls that ask for the same
//         ▼
//     ForwardedExchange     sends; then CacheValidation, StorageDecision and Invalidation say what
//         │                 to do: keep, forget, invalidate
//         ▼
//     HTTPCache             the state, of all requests
//         ├── changes       CacheChanges, in a lock: which running exchanges come too late to be
//         │                 stored
//         ├── exchanges     the refreshes and shared exchanges that run
//         └── store         MemoryCacheStore, or DiskCacheStore: PendingChanges in a lock, a
//                           DiskQueue for the files in the CacheFolder, CacheTombstones for other
//                           processes, CacheSweep, and in memory what has a secret

/// A private cache of responses (RFC 9111).
///
/// It stores a response if the server allows it, and delivers it as long as the server allows it.
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let cache = HTTPCache()
/// }
/// ```
///
/// The cache stores complete responses to GET according to their status, `Cache-Control`,
/// `Expires`, `Last-Modified` and `Vary`, and answers GET and HEAD with them. It validates a stale
/// response with `If-None-Match` and `If-Modified-Since`. It observes `stale-while-revalidate` and
/// `stale-if-error` (RFC 5861). A request that changes a resource invalidates the stored responses
/// of its URL. Responses in pieces bypass the cache: `events`, live streams, downloads and uploads.
///
/// A response is stored for its principal: the user of the ``TokenSession`` that authorized the
/// request, over all the user's tokens, with each field of the request that can carry a credential,
/// such as `Cookie`, `X-Auth-Token` and ``RESTAPI/secretHeaders``. Without a session, the request's
/// `Authorization` identifies the user. No principal receives another's response. When a user signs
/// out, or another user signs in, the former user's responses are removed.
///
/// A response is stored for its road, too: only calls over a transport with the same
/// ``Transport/identity`` receive it. Nothing is stored for a transport that shares nothing.
///
/// The cache's decision is in ``RESTResponse/cacheStatus`` and in the call's log. Several APIs may
/// share one cache. It is safe to use from any thread. Docs/Caching.md has the table of the rules.
public final class HTTPCache: Sendable {
  let exchanges: SharedExchanges
  /// Whether a stale response is used if a server cannot be reached.
  let servesStaleWhenUnreachable: Bool
  private let store: any CacheStore
  private let date: @Sendable () -> Date
  private let changes = Lock(CacheChanges())

  /// Creates a cache in memory.
  ///
  /// - Parameters:
  ///   - maxBytes: The maximum size in bytes, including header fields. The least recently used
  ///     responses are removed first. One response may have an eighth of it.
  ///   - servesStaleWhenUnreachable: Whether a stale response is used if the server cannot be
  ///     reached, or responds with 502, 503 or 504, even without a `stale-if-error` (RFC 9111
  ///     §4.2.4). A response with `must-revalidate` or `no-cache` is never used this way.
  ///   - date: The wall clock.
  public convenience init(
    maxBytes: Int = 32 << 20, servesStaleWhenUnreachable: Bool = true,
    date: @escaping @Sendable () -> Date = StandardTime.wallClock()
  ) {
    self.init(
      store: MemoryCacheStore(maxBytes: maxBytes),
      servesStaleWhenUnreachable: servesStaleWhenUnreachable, date: date)
  }

  /// Creates a cache in a folder, which several processes of one user may share.
  ///
  /// A file is written as a whole, moved into place, and checked by a digest when it is read: a
  /// damaged file is a miss, and is removed. If the disk is full or read-only, or a process is
  /// killed, only the responses that were being written are lost. The folder has mode 0700, and its
  /// files 0600.
  ///
  /// Responses for a signed-in user, or for a request with another secret in a field or its URL,
  /// are stored in memory, because another process cannot identify their principal. So are those
  /// over a transport that no other process can identify; see ``TransportIdentity/init(lasting:)``.
  /// `onFailure` tells this once.
  ///
  /// A response is written before it is delivered if nothing else waits to be written, and soon
  /// after otherwise. The release of the cache waits for what is left, ten seconds at most.
  ///
  /// - Parameters:
  ///   - folder: A folder for this cache alone. The cache makes it if it does not exist.
  ///   - maxBytes: The maximum size of the files in bytes. The least recently used ones are removed
  ///     first. One response may have an eighth of it.
  ///   - maxMemoryBytes: The maximum size, in bytes, of the responses in memory.
  ///   - servesStaleWhenUnreachable: Whether a stale response is used if the server cannot be
  ///     reached, as for a cache in memory.
  ///   - onFailure: A closure that receives the failures to store or remove, once for each kind. It
  ///     runs on a queue of the cache. The default prints them to standard error.
  ///   - date: The wall clock.
  /// - Throws: ``DiskCacheError`` if the folder cannot be made, or is not this user's alone.
  public convenience init(
    folder: URL, maxBytes: Int = 256 << 20, maxMemoryBytes: Int = 32 << 20,
    servesStaleWhenUnreachable: Bool = true,
    onFailure: (@Sendable (DiskCacheError) -> Void)? = nil,
    date: @escaping @Sendable () -> Date = StandardTime.wallClock()
  ) throws(DiskCacheError) {
    let store = try DiskCacheStore(
      folder: folder, maxBytes: maxBytes, transient: MemoryCacheStore(maxBytes: maxMemoryBytes),
      onFailure: onFailure ?? { error in
        // The other way to write traps if the stream is closed, as in a daemon.
        try? FileHandle.standardError.write(contentsOf: Data("RESTKit: \(error)\n".utf8))
      }, date: date)
    self.init(
      store: store, servesStaleWhenUnreachable: servesStaleWhenUnreachable, date: date)
  }

  /// Creates a cache whose threads, and whose work in its folder, a test runs.
  ///
  /// - Parameters:
  ///   - folder: The folder, or nil for a cache in memory.
  ///   - line: The line of the work in the folder.
  package convenience init(
    folder: URL?, line: CacheLine, threads: DeliveryThreads, servesStaleWhenUnreachable: Bool,
    date: @escaping @Sendable () -> Date
  ) throws(DiskCacheError) {
    let memory = MemoryCacheStore(maxBytes: 32 << 20)
    var store: any CacheStore = memory
    if let folder {
      store = try DiskCacheStore(
        folder: folder, maxBytes: 256 << 20, transient: memory, date: date,
        willReach: { (_) throws(POSIXError) in try line.willReach() },
        queue: DiskQueue(line.enqueue) { _ in line.awaitAll() })
    }
    self.init(
      store: store, threads: threads, servesStaleWhenUnreachable: servesStaleWhenUnreachable,
      date: date)
  }

  init(
    store: any CacheStore, threads: DeliveryThreads = DeliveryThreads(most: 15),
    servesStaleWhenUnreachable: Bool = true, date: @escaping @Sendable () -> Date
  ) {
    exchanges = SharedExchanges(threads: threads)
    self.store = store
    self.servesStaleWhenUnreachable = servesStaleWhenUnreachable
    self.date = date
  }

  deinit { store.finish() }

  /// Removes all responses.
  ///
  /// It begins at once, without a subscriber. From its return on, this cache delivers none of the
  /// responses, and does not store responses of running exchanges. The publisher finishes when the
  /// same holds for each process that uses the folder and for each that begins later: a program
  /// that ends after this waits for it. For a cache in memory that is at once.
  ///
  /// ```swift
  /// try await cache.removeAll().value
  /// ```
  ///
  /// - Returns: A publisher of one value, on a queue of the cache. It fails with ``DiskCacheError``
  ///   if something could not be removed. This cache still hides it then, and ``flush()`` tries
  ///   again. The publisher may be dropped.
  @discardableResult
  public func removeAll() -> AnyPublisher<Void, any Error> {
    let released = changes.withLock { changes in
      changes.forgetAll()
      return store.removeAll()
    }
    withExtendedLifetime(released) {}
    exchanges.retireAll()
    return done(.removals)
  }

  /// Removes the responses of a URL, for all users.
  ///
  /// It begins at once, and promises the same as ``removeAll()`` for this URL.
  ///
  /// - Parameter url: The URL of the requests, with its query. The fragment, the default port and
  ///   equal escapes make no difference.
  /// - Returns: A publisher of one value, on a queue of the cache. It fails with
  ///   ``DiskCacheError``. The publisher may be dropped.
  @discardableResult
  public func remove(_ url: URL) -> AnyPublisher<Void, any Error> {
    invalidate(CacheKey.target(url).map { [$0] } ?? [])
    return done(.removals)
  }

  /// Writes what waits to be written.
  ///
  /// A cache in a folder writes by itself, soon after each response, and when it is released. This
  /// says when it is done, for a program that ends without releasing its cache. No write is forced
  /// to the medium: it may not survive a loss of power.
  ///
  /// - Returns: A publisher of one value, on a queue of the cache. It fails with the latest
  ///   ``DiskCacheError`` of a response that could not be stored or removed since the last flush.
  ///   The publisher may be dropped.
  @discardableResult
  public func flush() -> AnyPublisher<Void, any Error> { done(.all) }

  private func done(_ kind: CacheChangeKind) -> AnyPublisher<Void, any Error> {
    store.settle()
    return Future<Void, any Error> { [store] promise in
      store.whenDone(kind) { failure in promise(failure.map { .failure($0) } ?? .success(())) }
    }
    .eraseToAnyPublisher()
  }

  /// The wall clock.
  var now: Date { date() }

  /// Returns the moment at which an exchange begins, for storing its response later.
  func begin() -> Int { changes.withLock { $0.begin() } }

  func responses(for key: CacheKey) -> [StoredResponse] { store.responses(for: key) }

  /// Stores a response, unless since its request its target was invalidated, its principal left, or
  /// a later response was stored.
  ///
  /// - Parameter names: The names of secrets, which are not written to a folder.
  /// - Returns: The reason why it is not stored; nil if it is.
  func keep(
    _ response: StoredResponse, for key: CacheKey, askedBy principal: SignInSpan?, since start: Int,
    names: SecretNames
  ) -> String? {
    guard key.partition.road.isShared else { return "its transport shares nothing" }
    if store.isLasting, key.partition.isLasting, response.leadsToSecret(of: names) {
      forget(key)
      return "its Location has a secret"
    }
    let most = store.maxResponseBytes(in: key.partition)
    guard response.size <= most else {
      forget(key)
      return "larger than \(most) bytes"
    }
    let (refusal, released) = changes.withLock { changes -> (String?, [StoredResponse]) in
      guard principal?.isOver != true else { return ("its user has signed out", []) }
      if let refusal = changes.keep(response, for: key, since: start) { return (refusal, []) }
      return (nil, store.keep(response, for: key))
    }
    withExtendedLifetime(released) {}
    store.settle()
    return refusal
  }

  /// Removes the responses under a key.
  func forget(_ key: CacheKey) {
    let released = store.remove(key)
    withExtendedLifetime(released) {}
    store.settle()
  }

  /// Removes the responses of targets, for all principals.
  ///
  /// Responses of running exchanges are not stored.
  func invalidate(_ targets: [String]) {
    guard !targets.isEmpty else { return }
    let released = changes.withLock { changes in
      changes.forget(targets)
      return targets.flatMap { store.removeAll(at: $0) }
    }
    withExtendedLifetime(released) {}
    store.settle()
    exchanges.retire(targets)
  }

  /// Removes a principal's responses when the principal's time ends.
  func watch(_ principal: SignInSpan) {
    // Once for each principal: a cookie besides the token may change with each request.
    let name = principal.name
    guard changes.withLock({ $0.beginWatching(name) }) else { return }
    principal.whenOver { [weak self] in self?.drop(name) }
  }

  private func drop(_ principal: String) {
    let released = changes.withLock { changes in
      changes.endWatching(principal)
      return store.removeAll(of: CachePartition(principal: principal))
    }
    withExtendedLifetime(released) {}
  }

  /// Whether the caller has to validate a stored response in the background, because nobody does.
  func beginRefresh(of response: StoredResponse, for key: CacheKey) -> Bool {
    changes.withLock { $0.beginRefresh(of: response, for: key) }
  }

  func endRefresh(of response: StoredResponse, for key: CacheKey) {
    changes.withLock { $0.endRefresh(of: response, for: key) }
  }
}

extension StoredResponse {
  /// Whether the response redirects to a URL with a secret, such as one that is signed.
  fileprivate func leadsToSecret(of names: SecretNames) -> Bool {
    head.headers.values(for: "Location").contains { location in
      RedirectTarget.url(location, from: head.url)
        .map { names.haveSecret(in: $0.absoluteString) } ?? false
    }
  }
}

extension HTTPCache {
  /// Records the head of a response in pieces, which is never stored.
  func note(_ head: ResponseHead, inPiecesTo request: URLRequest) {
    invalidate(Invalidation.targets(of: CacheRequest(request), answeredBy: head))
  }
}

extension HTTPCache: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type's name, without the stored responses.
  public var description: String { "HTTPCache" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The way in which a pipeline uses a cache.
public enum CacheUse: Hashable, Sendable {
  /// A stored response is delivered if the rules allow it, and nothing is sent then.
  case standard
  /// The server is always asked whether a stored response is still valid, and no stale response is
  /// delivered.
  case revalidated
  /// A stale response that may be used is delivered at once, and then the server's response: two
  /// values. There is one value if the stored response is fresh, or if no stored response may be
  /// used.
  case cachedThenFresh
}
