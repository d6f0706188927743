import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keeps the answers that servers let be kept, and gives them as long as the servers said: a private cache
/// (RFC 9111).
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let cache = HTTPCache()
/// }
/// ```
///
/// Whole responses to GET are kept, by their status, `Cache-Control`, `Expires`, `Last-Modified` and `Vary`;
/// GET and HEAD are answered with them. What is stale is asked about, with `If-None-Match` and
/// `If-Modified-Since`. `stale-while-revalidate` and `stale-if-error` are kept to (RFC 5861). A request that
/// changes something makes what was kept of its URL invalid. What comes in pieces passes by and is not kept:
/// `events`, live streams, downloads and uploads.
///
/// An answer is kept for who asked: for the user of the ``TokenSession`` that authorized the request, whatever
/// token he has by then, or else for the `Authorization`, `Cookie`, `X-Api-Key` and ``RESTAPI/secretHeaders``
/// of the request. Nobody gets another's. When a user signs out, or another signs in, what was his is dropped.
///
/// What it decided stands in ``RESTResponse/cacheStatus`` and in the log of the call. Several APIs may share
/// one; it may be used on any thread. Docs/Caching.md has the table of the rules.
public final class HTTPCache: Sendable {
  let exchanges = SharedExchanges()
  /// Whether something stale is given where a server cannot be reached.
  let servesStaleWhenUnreachable: Bool
  private let store: any CacheStore
  private let date: @Sendable () -> Date
  private let ledger = Lock(CacheLedger())

  /// A cache in memory.
  ///
  /// - Parameters:
  ///   - maxBytes: How many bytes it keeps at most, header fields included; the answers that were used longest
  ///     ago go first. One answer may have an eighth of it.
  ///   - servesStaleWhenUnreachable: Whether a stale answer is given where the server cannot be reached, or
  ///     answers 502, 503 or 504, although it allowed no `stale-if-error` (RFC 9111 §4.2.4). An answer that says
  ///     `must-revalidate` or `no-cache` is not.
  ///   - date: The wall clock.
  public convenience init(
    maxBytes: Int = 32 << 20, servesStaleWhenUnreachable: Bool = true,
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      store: MemoryCacheStore(maxBytes: maxBytes),
      servesStaleWhenUnreachable: servesStaleWhenUnreachable, date: date)
  }

  /// A cache in a folder, which several processes of one user may share.
  ///
  /// Each answer is a file of its own kind, written whole and put in its place, and checked by a digest when it
  /// is read: a damaged one is a miss, and is removed. Nothing is lost but an answer where the disk is full, the
  /// folder can only be read, or a process is killed. The folder has the mode 0700, and its files 0600.
  ///
  /// Answers to who is signed in, or carries another secret, are kept in memory, since nobody knows in the next
  /// process who that was.
  ///
  /// - Parameters:
  ///   - folder: A folder for this cache alone; it is made where it is missing.
  ///   - maxBytes: How many bytes the files take at most; those that were used longest ago go first. One answer
  ///     may have an eighth of it.
  ///   - maxMemoryBytes: How many bytes are kept in memory at most, of what does not go to the disk.
  ///   - servesStaleWhenUnreachable: As for a cache in memory.
  ///   - onFailure: What cannot be kept or removed, once for each kind; it runs on a queue of the cache. By
  ///     default it is said on standard error.
  ///   - date: The wall clock.
  /// - Throws: ``DiskCacheError`` where the folder cannot be made, or is not this user's alone.
  public convenience init(
    folder: URL, maxBytes: Int = 256 << 20, maxMemoryBytes: Int = 32 << 20,
    servesStaleWhenUnreachable: Bool = true,
    onFailure: (@Sendable (DiskCacheError) -> Void)? = nil,
    date: @escaping @Sendable () -> Date = { Date() }
  ) throws(DiskCacheError) {
    let store = try DiskCacheStore(
      folder: folder, maxBytes: maxBytes, transient: MemoryCacheStore(maxBytes: maxMemoryBytes),
      onFailure: onFailure ?? { error in
        // The other way to write traps where the stream is closed, as a daemon's may be.
        try? FileHandle.standardError.write(contentsOf: Data("RESTKit: \(error)\n".utf8))
      })
    self.init(
      store: store, servesStaleWhenUnreachable: servesStaleWhenUnreachable, date: date)
  }

  init(
    store: any CacheStore, servesStaleWhenUnreachable: Bool = true,
    date: @escaping @Sendable () -> Date
  ) {
    self.store = store
    self.servesStaleWhenUnreachable = servesStaleWhenUnreachable
    self.date = date
  }

  /// Forgets everything.
  ///
  /// What is under way is not kept.
  public func removeAll() {
    let released = ledger.withLock { ledger in
      ledger.forgetAll()
      return store.removeAll()
    }
    withExtendedLifetime(released) {}
    exchanges.retire { _ in true }
  }

  /// The wall clock.
  var now: Date { date() }

  /// The moment at which an exchange begins, for what it brings to be kept.
  func begin() -> Int { ledger.withLock { $0.begin() } }

  func responses(for key: CacheKey) -> [StoredResponse] { store.responses(for: key) }

  /// Keeps an answer, unless its target was invalidated, its asker went, or a later answer came, since it was
  /// asked for.
  ///
  /// - Returns: Why it is not kept; nil where it is.
  func keep(
    _ response: StoredResponse, for key: CacheKey, askedBy asker: RequestAsker?, since start: Int
  ) -> String? {
    let most = store.maxAnswerBytes(in: key.partition)
    guard response.size <= most else {
      forget(key)
      return "larger than \(most) bytes"
    }
    let (refusal, released) = ledger.withLock { ledger -> (String?, [StoredResponse]) in
      guard asker?.span.isOver != true else { return ("its user has signed out", []) }
      if let refusal = ledger.keep(response, for: key, since: start) { return (refusal, []) }
      return (nil, store.keep(response, for: key))
    }
    withExtendedLifetime(released) {}
    return refusal
  }

  /// Forgets what is kept under a key.
  func forget(_ key: CacheKey) {
    let released = store.remove(key)
    withExtendedLifetime(released) {}
  }

  /// Forgets what is kept of targets, whoever asked for it; what is under way is not kept.
  func invalidate(_ targets: [String]) {
    guard !targets.isEmpty else { return }
    let released = ledger.withLock { ledger in
      ledger.forget(targets)
      return targets.flatMap { store.removeAll(at: $0) }
    }
    withExtendedLifetime(released) {}
    exchanges.retire { $0.asks(for: targets) }
  }

  /// Drops what is kept for an asker once he asks no more.
  func watch(_ asker: RequestAsker) {
    // Once for him: a cookie beside his token may change with each request.
    let partition = CachePartition(of: asker)
    guard ledger.withLock({ $0.beginWatching(partition) }) else { return }
    asker.span.whenOver { [weak self] in self?.drop(partition) }
  }

  private func drop(_ partition: CachePartition) {
    let released = ledger.withLock { ledger in
      ledger.endWatching(partition)
      return store.removeAll(of: partition)
    }
    withExtendedLifetime(released) {}
  }
}

extension HTTPCache: ExchangeSeat {
  func response(for exchange: any SeatedExchange) -> AnyPublisher<RESTResponse, any Error> {
    response(for: exchange, wish: nil, coalescer: nil)
  }

  func response(
    for exchange: any SeatedExchange, wish: CacheWish?, coalescer: RequestCoalescer?
  ) -> AnyPublisher<RESTResponse, any Error> {
    guard let cached = CachedExchange(exchange, in: self, wish: wish, coalescer: coalescer) else {
      return coalescer?.response(for: exchange) ?? exchange.send()
    }
    return cached.response
  }

  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  ) {
    invalidate(Invalidation.targets(of: CacheRequest(request), answeredBy: head))
  }
}

extension HTTPCache: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of what is kept.
  public var description: String { "HTTPCache" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
