import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

/// A separate folder for a cache, whose background work waits until a test runs it.
struct DiskBench {
  private let parent: TemporaryFolder
  let url: URL
  let work = WaitingWork()
  let transient = MemoryCacheStore(maxBytes: 1 << 20)
  let failures = Failures()

  init() throws {
    parent = try TemporaryFolder()
    url = parent.url.appendingPathComponent("cache")
  }

  /// When the responses of this file were requested.
  static let time = Date(timeIntervalSince1970: 1_800_000_000)

  /// A store with this folder, as in another process.
  func store(
    maxBytes: Int = 1 << 20, work: WaitingWork? = nil,
    willReach: @escaping @Sendable (CacheFolder.Step) throws(POSIXError) -> Void = { _ in },
    date: @escaping @Sendable () -> Date = { Self.time }
  ) throws -> DiskCacheStore {
    try DiskCacheStore(
      folder: url, maxBytes: maxBytes, transient: transient,
      onFailure: { [failures] in failures.add($0) }, date: date, willReach: willReach,
      queue: DiskQueue(
        { [work = work ?? self.work] in work.add($0) },
        // A release would wait ten seconds for work that only the test runs.
        awaitAll: { _ in }))
  }

  /// Where the responses under a key are.
  func file(_ key: CacheKey) -> URL { url.appendingPathComponent(CacheFileName(key).path) }

  func exists(_ key: CacheKey) -> Bool {
    FileManager.default.fileExists(atPath: file(key).path)
  }

  /// All plain files below the folder, by their path there, without tombstones.
  var files: [String] {
    let all = FileManager.default.subpaths(atPath: url.path) ?? []
    return all.filter { !$0.hasPrefix(CacheFolder.tombstoneFolder) }.filter { path in
      var isFolder: ObjCBool = false
      let full = url.appendingPathComponent(path).path
      return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// The names of the tombstones.
  var tombstones: [String] {
    let folder = url.appendingPathComponent(CacheFolder.tombstoneFolder)
    return (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  }

  /// Changes the time of change of all tombstones.
  func changeTombstones(to time: Date) throws {
    for name in tombstones {
      try FileManager.default.setAttributes(
        [.modificationDate: time],
        ofItemAtPath: url.appendingPathComponent("\(CacheFolder.tombstoneFolder)/\(name)").path)
    }
  }

  func mode(of url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  /// Says when a file was last used: so many seconds ago.
  func age(_ url: URL, _ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: url.path)
  }

  func ageInSeconds(_ url: URL) throws -> Double {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return -(try #require(attributes[.modificationDate] as? Date)).timeIntervalSinceNow
  }
}

/// The delayed work of a store, which a test runs.
final class WaitingWork: Sendable {
  private struct Step {
    let run: @Sendable () -> Void
  }

  private let steps = Lock<[Step]>([])

  func add(_ step: @escaping @Sendable () -> Void) {
    steps.withLock { $0.append(Step(run: step)) }
  }

  /// Runs what waits longest.
  ///
  /// - Returns: Whether there was something.
  @discardableResult
  func runNext() -> Bool {
    let step = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    step?.run()
    return step != nil
  }

  func runAll() {
    while runNext() {}
  }

  var count: Int { steps.withLock { $0.count } }
}

/// The events that a store reported to its owner.
final class Failures: Sendable {
  private let errors = Lock<[DiskCacheError]>([])

  func add(_ error: DiskCacheError) { errors.withLock { $0.append(error) } }

  var all: [DiskCacheError] { errors.withLock { $0 } }
}

extension CachePartition {
  /// A partition that the next process finds again, or a user's.
  init(name: String, isLasting: Bool) {
    self.init(
      over: TransportIdentity(lasting: isLasting ? name : ""),
      principal: isLasting || name.isEmpty ? nil : name)
  }

  static let anna = CachePartition(name: "anna", isLasting: true)
  static let passing = CachePartition(name: "passing", isLasting: false)
}

extension CacheKey {
  static func number(_ number: Int, of partition: CachePartition = .anonymous) -> CacheKey {
    CacheKey(url: "https://h.example/\(number)", partition: partition)
  }
}

extension StoredResponse {
  static func text(
    _ text: String, varying: [String: String?] = [:], headers: HTTPHeaders = [:],
    requested seconds: Double = 0
  ) throws -> StoredResponse {
    try data(Data(text.utf8), varying: varying, headers: headers, requested: seconds)
  }

  static func data(
    _ data: Data, varying: [String: String?] = [:], headers: HTTPHeaders = [:],
    requested seconds: Double = 0
  ) throws -> StoredResponse {
    StoredResponse(
      head: ResponseHead(
        url: try #require(URL(string: "https://h.example/a")), statusCode: 200, headers: headers),
      data: data, requestTime: DiskBench.time + seconds,
      responseTime: DiskBench.time + seconds + 1,
      varying: varying.mapValues { $0.map { ExactText($0) } })
  }

  /// All that is written down, to be compared.
  var parts: [String] {
    [
      head.url.absoluteString, "\(head.statusCode)", head.httpVersion,
      "\(head.headers.map { [$0.name, $0.value] })", data.base64EncodedString(),
      "\(requestTime.timeIntervalSinceReferenceDate.bitPattern)",
      "\(responseTime.timeIntervalSinceReferenceDate.bitPattern)",
      "\(varying.map { [$0.key, $0.value.map { "=" + $0.text } ?? "-"] }.sorted { $0[0] < $1[0] })",
      "\(isInvalidated)",
    ]
  }

  var text: String { String(decoding: data, as: UTF8.self) }
}

extension CacheStore {
  /// The bodies of what is kept, latest first.
  func texts(_ key: CacheKey) -> [String] { responses(for: key).map(\.text) }
}
