import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The part of a file that a download has so far, in the folder of the final file.
///
/// The bytes are in `.NAME.part`. Their origin is in `.NAME.part.json`, if it is enough to resume the
/// download. One download at a time holds the lock on the part. If a download ends early, even with its
/// process, the part that remains can be resumed or is discarded. The file's own name always has a
/// whole file or none.
final class PartialFile: Sendable {
  /// The paths of the final file and of the files next to it.
  private struct Places {
    let target: URL
    let part: URL
    let note: URL

    init(_ target: URL) {
      self.target = target
      let folder = target.deletingLastPathComponent()
      part = folder.appendingPathComponent(".\(target.lastPathComponent).part")
      note = folder.appendingPathComponent(".\(target.lastPathComponent).part.json")
    }
  }

  private struct State {
    var size: Int64
    var total: Int64?
    var head: ResponseHead?
    var note: PartialFileNote?
    /// The end of a 206's range; nil if the whole file is sent.
    var end: Int64?
    var isWhole = false
  }

  private let places: Places
  /// The open file with the part's lock, until the part is released.
  private let handle: Lock<FileHandle?>
  private let location: String
  private let state: Lock<State>

  // The throwing part is in a function before the initializer: see `SpooledBody`.
  private init(_ handle: FileHandle, _ places: Places, location: String, _ state: State) {
    self.handle = Lock(handle)
    self.places = places
    self.location = location
    self.state = Lock(state)
  }

  /// Opens or makes the part.
  ///
  /// - Parameter willLock: A test's closure between the opening of the part and its lock.
  /// - Throws: `RESTError` of kind `file` if the part cannot be written, or if another download holds
  ///   it.
  static func open(
    for target: URL, location: String, willLock: () -> Void = {}
  ) throws(RESTError) -> PartialFile {
    let places = Places(target)
    let handle = try open(places.part, willLock: willLock)
    return PartialFile(
      handle, places, location: location, try found(handle, places, location: location))
  }

  /// Returns the state that an earlier download left.
  private static func found(
    _ handle: FileHandle, _ places: Places, location: String
  ) throws(RESTError) -> State {
    do {
      let size = Int64(try handle.seekToEnd())
      let note = (try? Data(contentsOf: places.note)).flatMap {
        try? JSONDecoder().decode(PartialFileNote.self, from: $0)
      }
      if let note, size > 0, note.location == location { return State(size: size, note: note) }
      try handle.truncate(atOffset: 0)
      return State(size: 0)
    } catch {
      throw failure("cannot be read", places.part, error)
    }
  }

  deinit { letGo() }

  /// Releases the part for the next download, after a chunk or a note that is being written.
  ///
  /// Later writes fail.
  func letGo() {
    guard let handle = handle.withLock({ $0.take() }) else { return }
    if state.withLock({ $0.note == nil && !$0.isWhole }) {
      // The next download overwrites files that cannot be removed.
      try? FileManager.default.removeItem(at: places.part)
      try? FileManager.default.removeItem(at: places.note)
    }
    handle.closeWithLock()
  }

  /// Returns the request for the missing bytes (RFC 9110 §13.1.5, §14.2).
  ///
  /// It accepts no content coding, because the bytes of a range belong to the encoded file.
  func request(from request: URLRequest) -> URLRequest {
    let (size, note) = state.withLock { ($0.size, $0.note) }
    var request = request
    request.replaceHeader("Accept-Encoding", with: "identity")
    request.replaceHeader("Range", with: note.map { _ in "bytes=\(size)-" })
    request.replaceHeader("If-Range", with: note?.entityTag)
    return request
  }

  /// Whether there is a part to resume.
  var isResumable: Bool { state.withLock { $0.note != nil } }

  /// Discards the part, to begin again.
  func startOver() throws(RESTError) {
    do {
      // Later writes continue from there.
      try withHandle { try $0.truncate(atOffset: 0) }
      state.withLock { state in
        state.size = 0
        state.head = nil
        state.note = nil
        state.end = nil
      }
    } catch {
      throw Self.failure("cannot be written", places.part, error)
    }
  }

  /// Begins or continues the file according to a response's head.
  ///
  /// - Returns: The progress: the present bytes and the total.
  /// - Throws: `PartialFileMismatch` if the server's part is not the missing one.
  func take(_ head: ResponseHead) throws -> TransferProgress {
    let note: PartialFileNote?
    let total: Int64?
    var end: Int64?
    if head.statusCode == 206 {
      let (size, kept) = state.withLock { ($0.size, $0.note) }
      let range = try ContentRange(of: head, behind: size, of: kept)
      end = range.last + 1
      total = kept?.total ?? range.total
      note = kept?.with(total: total)
    } else {
      try startOver()
      total = head.headers["Content-Encoding"] == nil ? head.contentLength : nil
      note = PartialFileNote(of: head, location: location)
    }
    try write(note)
    return state.withLock { [end] state in
      state.head = head
      state.total = total
      state.note = note
      state.end = end
      return TransferProgress(completedBytes: state.size, totalBytes: total)
    }
  }

  /// - Throws: `PartialFileMismatch` if the chunk exceeds the range in the head. Nothing of it is
  ///   written.
  func take(_ chunk: Data) throws -> TransferProgress {
    let isTooMuch = state.withLock { state in
      state.end.map { state.size + Int64(chunk.count) > $0 } ?? false
    }
    guard !isTooMuch else { throw PartialFileMismatch.otherLength }
    do {
      try withHandle { try $0.write(contentsOf: chunk) }
    } catch {
      throw Self.failure("cannot be written", places.part, error)
    }
    return state.withLock { state in
      state.size += Int64(chunk.count)
      return TransferProgress(completedBytes: state.size, totalBytes: state.total)
    }
  }

  private func withHandle(_ work: (FileHandle) throws -> Void) throws {
    try handle.withLock { handle in
      guard let handle else { throw POSIXError(.EBADF) }
      try work(handle)
    }
  }

  /// Moves the whole file into place, in one step.
  ///
  /// - Returns: nil if the part was released, or if there was no response.
  /// - Throws: `PartialFileMismatch` if the server ended its part before the end of its range.
  func finish() throws -> ResponseHead? {
    let (size, total, head, end) = state.withLock { ($0.size, $0.total, $0.head, $0.end) }
    // Without a response, the bytes are those of an earlier download, which may not be all.
    guard let head else { return nil }
    if let end, end != size, !head.endsWithConnection {
      throw PartialFileMismatch.otherLength
    }
    if let total, total != size {
      throw RESTError(
        .afterSending(.bodyCut, "\(size) of \(total) bytes"),
        request: RequestSummary(method: .get, url: URL(string: location)))
    }
    // A cancel cannot reach the handle from here on: it would be too late.
    guard let handle = handle.withLock({ $0.take() }) else { return nil }
    defer { self.handle.withLock { $0 = handle } }
    do {
      // Without this, a crash could leave the name with bytes that never reached the disk.
      try handle.writeToMedium()
    } catch {
      throw Self.failure("cannot be written", places.part, error)
    }
    guard rename(places.part.path, places.target.path) == 0 else {
      throw Self.failure("cannot be put in place", places.target, CocoaError(.fileWriteUnknown))
    }
    state.withLock { $0.isWhole = true }
    // A note without a part means nothing. The next download overwrites it.
    try? FileManager.default.removeItem(at: places.note)
    return head
  }

  private func write(_ note: PartialFileNote?) throws(RESTError) {
    do {
      // The note of a released part is the next download's.
      try withHandle { _ in
        if let note {
          try JSONEncoder().encode(note).write(to: places.note, options: .atomic)
        } else if FileManager.default.fileExists(atPath: places.note.path) {
          try FileManager.default.removeItem(at: places.note)
        }
      }
    } catch {
      throw Self.failure("cannot be written", places.note, error)
    }
  }

  private static func open(_ part: URL, willLock: () -> Void) throws(RESTError) -> FileHandle {
    do {
      for _ in 0..<10 {
        let handle = try FileHandle.opening(part.path, O_RDWR | O_CREAT, mode: 0o666)
        willLock()
        guard try handle.takeLock(waiting: false) else { break }
        if handle.isFile(at: part.path) { return handle }
        // The former owner has just put the file in place, or removed it.
        handle.closeWithLock()
      }
    } catch {
      throw failure("cannot be opened", part, error)
    }
    throw RESTError(
      .file, reason: "another download writes to \(part.lastPathComponent)",
      remedy: "Wait for it to end, or download to another file.")
  }

  private static func failure(_ what: String, _ file: URL, _ error: any Error) -> RESTError {
    RESTError(
      .file, reason: "\(file.lastPathComponent) \(what): \(error.localizedDescription)",
      remedy: "Check that its folder exists, is writable and has room.", underlyingError: error)
  }
}

/// The origin of a part of a file, which a download needs to resume it.
struct PartialFileNote: Codable, Equatable {
  /// The URL of the file, without the query.
  let location: String
  /// The strong entity tag of the whole file (RFC 9110 §8.8.3).
  ///
  /// Only a strong tag identifies single bytes.
  let entityTag: String
  /// The length of the whole file, as it was first given; nil if it is unknown so far.
  var total: Int64?

  /// - Returns: nil if the response does not allow a resumption.
  init?(of head: ResponseHead, location: String) {
    guard let tag = head.headers["ETag"], Self.isStrong(tag),
      head.headers["Content-Encoding"] == nil
    else { return nil }
    self.location = location
    entityTag = tag
    total = head.contentLength
  }

  func with(total: Int64?) -> PartialFileNote {
    var note = self
    note.total = total
    return note
  }

  /// Whether a text is one strong entity tag.
  ///
  /// An empty tag cannot distinguish versions.
  private static func isStrong(_ tag: String) -> Bool {
    let bytes = tag.utf8
    guard bytes.count > 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"")
    else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy {
      $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F
    }
  }
}

extension ResponseHead {
  /// The value of `Content-Length`; nil if it is missing or not a number.
  var contentLength: Int64? {
    // The transport checks that several lines give one length.
    headers.values(for: "Content-Length").first?.split(separator: ",").first
      .flatMap { Int64(digits: $0.trimmingBlanks) }
  }

  /// Whether the body ends with the connection, so that a cut looks like an end.
  var endsWithConnection: Bool {
    contentLength == nil && headers["Transfer-Encoding"] == nil
      && (httpVersion.isEmpty || httpVersion.hasPrefix("HTTP/1"))
  }
}

/// The reason why a server's bytes cannot be appended to the present part of a file.
enum PartialFileMismatch: Error, CustomStringConvertible {
  /// The response is a 416.
  case pastTheEnd
  /// The response is a 206, but no part was requested.
  case unasked
  case severalParts
  case otherRange
  case noVersion
  case otherVersion
  case otherTotal
  case noTotal
  case encoded
  /// The body does not have the length of its `Content-Range`.
  case otherLength

  /// The reason in a log, after "because".
  var description: String {
    switch self {
    case .pastTheEnd: "the server has no bytes after the present part"
    case .unasked: "the server sent a part, but the whole file was requested"
    case .severalParts: "the server sent several parts in one response"
    case .otherRange: "the server sent another part than was requested"
    case .noVersion: "the server did not say which version its part belongs to"
    case .otherVersion: "the server's part is of another version"
    case .otherTotal: "the server's part is of a file of another length"
    case .noTotal: "the server did not say how long the file is"
    case .encoded: "the server encoded its part"
    case .otherLength: "the server's part does not have its declared length"
    }
  }
}
