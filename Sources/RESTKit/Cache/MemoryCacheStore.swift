import Foundation
import Streams

/// A store in memory of the most recently used responses.
final class MemoryCacheStore: CacheStore {
  /// All responses under a key, as a node in the list of uses.
  fileprivate struct Node: Sendable {
    let key: CacheKey
    var responses: [StoredResponse]
    var bytes: Int
    /// The places of the nodes that were used just before and just after this one.
    var older: Int?
    var newer: Int?
  }

  fileprivate struct State: Sendable {
    var places: [CacheKey: Int] = [:]
    /// The partitions with responses of a target.
    var partitions: [String: Set<CachePartition>] = [:]
    /// The keys of a principal, or of nobody.
    var keys: [String?: Set<CacheKey>] = [:]
    var nodes: [Node?] = []
    var free: [Int] = []
    var oldest: Int?
    var newest: Int?
    var bytes = 0
  }

  private let maxBytes: Int
  private let state = Lock(State())

  /// The maximum number of responses under one key.
  ///
  /// The oldest are removed.
  private static let mostVariants = 32

  /// - Parameter maxBytes: The maximum size in bytes, including heads.
  init(maxBytes: Int) {
    self.maxBytes = maxBytes
  }

  /// The maximum size of a response.
  ///
  /// A larger one would replace most others.
  private var maxResponseBytes: Int { maxBytes / 8 }

  /// The size of all responses in bytes.
  var bytes: Int { state.withLock { $0.bytes } }

  var isLasting: Bool { false }

  func maxResponseBytes(in partition: CachePartition) -> Int { maxResponseBytes }

  func responses(for key: CacheKey) -> [StoredResponse] {
    state.withLock { state in
      guard let place = state.places[key], let node = state.nodes[place] else { return [] }
      state.use(place)
      return node.responses
    }
  }

  @discardableResult
  func keep(_ response: StoredResponse, for key: CacheKey) -> [StoredResponse] {
    guard response.size <= maxResponseBytes else { return remove(key) }
    return state.withLock { state in
      let place = state.place(for: key)
      var released = state.update(place) { responses in
        let replaced = responses.filter { $0.varying == response.varying }
        responses.removeAll { $0.varying == response.varying }
        responses.insert(response, at: 0)
        // Too many responses would replace all others, and then each other.
        var bytes = 0
        let fitting = responses.prefix(Self.mostVariants).prefix { response in
          bytes += response.size
          return bytes <= maxBytes
        }
        let surplus = responses.suffix(responses.count - fitting.count)
        responses.removeLast(surplus.count)
        return replaced + surplus
      }
      while state.bytes > maxBytes, let oldest = state.oldest {
        released += state.remove(oldest)
      }
      return released
    }
  }

  @discardableResult
  func remove(_ key: CacheKey) -> [StoredResponse] {
    state.withLock { state in state.places[key].map { state.remove($0) } ?? [] }
  }

  @discardableResult
  func removeAll(at url: String) -> [StoredResponse] {
    state.withLock { state in
      (state.partitions[url] ?? []).flatMap { partition in
        state.places[CacheKey(url: url, partition: partition)].map { state.remove($0) } ?? []
      }
    }
  }

  @discardableResult
  func removeAll(of partition: CachePartition) -> [StoredResponse] {
    state.withLock { state in
      (state.keys[partition.principal] ?? [])
        .filter { partition.principal != nil || $0.partition == partition }
        .flatMap { key in state.places[key].map { state.remove($0) } ?? [] }
    }
  }

  @discardableResult
  func removeAll() -> [StoredResponse] {
    let state = state.withLock { exchange(&$0, with: State()) }
    return state.nodes.flatMap { $0?.responses ?? [] }
  }
}

// The list of uses: each change takes constant time.
extension MemoryCacheStore.State {
  /// Returns the place of a key, and makes it the most recently used.
  fileprivate mutating func place(for key: CacheKey) -> Int {
    if let place = places[key] {
      use(place)
      return place
    }
    let node = MemoryCacheStore.Node(key: key, responses: [], bytes: 0)
    let place: Int
    if let unused = free.popLast() {
      place = unused
      nodes[place] = node
    } else {
      place = nodes.count
      nodes.append(node)
    }
    places[key] = place
    partitions[key.url, default: []].insert(key.partition)
    keys[key.partition.principal, default: []].insert(key)
    append(place)
    return place
  }

  fileprivate mutating func use(_ place: Int) {
    guard newest != place else { return }
    unlink(place)
    append(place)
  }

  fileprivate mutating func update(
    _ place: Int, _ change: (inout [StoredResponse]) -> [StoredResponse]
  ) -> [StoredResponse] {
    guard var node = nodes[place] else { return [] }
    let released = change(&node.responses)
    bytes -= node.bytes
    node.bytes = node.responses.reduce(0) { $0 + $1.size }
    bytes += node.bytes
    nodes[place] = node
    return released
  }

  fileprivate mutating func remove(_ place: Int) -> [StoredResponse] {
    guard let node = nodes[place] else { return [] }
    unlink(place)
    nodes[place] = nil
    free.append(place)
    places[node.key] = nil
    let (url, partition) = (node.key.url, node.key.partition)
    partitions[url]?.remove(partition)
    if partitions[url]?.isEmpty == true { partitions[url] = nil }
    keys[partition.principal]?.remove(node.key)
    if keys[partition.principal]?.isEmpty == true { keys[partition.principal] = nil }
    bytes -= node.bytes
    return node.responses
  }

  private mutating func append(_ place: Int) {
    nodes[place]?.older = newest
    nodes[place]?.newer = nil
    if let newest { nodes[newest]?.newer = place } else { oldest = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    guard let node = nodes[place] else { return }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
  }
}

extension StoredResponse {
  /// The approximate size in bytes: of the body, the header fields, the URL, the varying fields and
  /// their containers.
  var size: Int {
    let fields = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    let texts = varying.reduce(head.url.absoluteString.utf8.count) { size, field in
      size + field.key.utf8.count + (field.value?.text.utf8.count ?? 0)
    }
    // Short texts are part of the 512 bytes.
    return 512 + max(0, texts - 256) + fields + data.count
  }
}
