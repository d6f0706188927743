import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The part of a file that a download has so far, beside the place where the whole will be.
///
/// The bytes are in `.NAME.part`, and in `.NAME.part.json` of what they are a part, as long as that
/// is enough to go on with them. One download at a time holds the lock on the part. Whatever ends a
/// download in the middle, the process too, leaves either a part that can be resumed or one that is
/// thrown away; under the file's own name there is always a whole one or none.
final class PartialFile: Sendable {
  /// Where the file will be, and what is beside it until then.
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
    var isWhole = false
  }

  private let places: Places
  /// Open, with the part's lock, until the part is let go of.
  private let handle: Lock<FileHandle?>
  private let location: String
  private let state: Lock<State>

  // Throwing ahead of it and not in it: see `SpooledBody`.
  private init(_ handle: FileHandle, _ places: Places, location: String, _ state: State) {
    self.handle = Lock(handle)
    self.places = places
    self.location = location
    self.state = Lock(state)
  }

  /// Opens or makes the part.
  ///
  /// - Throws: `RESTError` of kind `file` where it cannot be written, or another download has it.
  static func open(for target: URL, location: String) throws(RESTError) -> PartialFile {
    let places = Places(target)
    let handle = try open(places.part)
    return PartialFile(
      handle, places, location: location, try found(handle, places, location: location))
  }

  /// What an earlier download left.
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

  /// Leaves the part to the next download, once a chunk that is being written is; what is done with it
  /// after that fails.
  func letGo() {
    guard let handle = handle.withLock({ $0.take() }) else { return }
    if state.withLock({ $0.note == nil && !$0.isWhole }) {
      // What cannot be removed is overwritten by the next one.
      try? FileManager.default.removeItem(at: places.part)
      try? FileManager.default.removeItem(at: places.note)
    }
    try? handle.close()
  }

  /// The request for what is missing (RFC 9110 §13.1.5, §14.2), and for no other coding: the bytes
  /// of a range are those of the encoded file.
  func request(from request: URLRequest) -> URLRequest {
    var request = request
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let (size, note) = state.withLock({ state in state.note.map { (state.size, $0) } }) {
      request.setValue("bytes=\(size)-", forHTTPHeaderField: "Range")
      request.setValue(note.entityTag, forHTTPHeaderField: "If-Range")
    }
    return request
  }

  /// Whether there is something to go on with.
  var isResumable: Bool { state.withLock { $0.note != nil } }

  /// Throws the part away, to begin anew.
  func startOver() throws(RESTError) {
    do {
      try withHandle { handle in
        try handle.truncate(atOffset: 0)
        try handle.seek(toOffset: 0)
      }
      state.withLock { state in
        state.size = 0
        state.note = nil
      }
    } catch {
      throw Self.failure("cannot be written", places.part, error)
    }
  }

  /// Begins the file, or goes on with it, as a head says.
  ///
  /// - Returns: What there is, and how much there will be.
  /// - Throws: `PartialFileMismatch` where the server's part is not the one that is missing.
  func take(_ head: ResponseHead) throws -> TransferProgress {
    let size = state.withLock { $0.size }
    var total = head.headers["Content-Length"].flatMap { Int64($0) }
    if head.statusCode == 206 {
      guard let range = ContentRange(head.headers["Content-Range"] ?? ""), range.first == size
      else {
        throw PartialFileMismatch()
      }
      total = range.total
    } else {
      try startOver()
    }
    if head.headers["Content-Encoding"] != nil { total = nil }
    let note = PartialFileNote(of: head, location: location) ?? keptNote(head)
    try write(note)
    return state.withLock { [total] state in
      state.head = head
      state.total = total
      state.note = note
      return TransferProgress(completedBytes: state.size, totalBytes: total)
    }
  }

  func take(_ chunk: Data) throws(RESTError) -> TransferProgress {
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

  /// Puts the whole file in its place, in one step.
  ///
  /// - Returns: nil where the part was let go of.
  func finish() throws(RESTError) -> ResponseHead? {
    let (size, total, head) = state.withLock { ($0.size, $0.total, $0.head) }
    if let total, total != size {
      let fault = TransportFault(
        kind: .bodyCut, detail: "\(size) of \(total) bytes", mayHaveBeenProcessed: true)
      throw RESTError(
        fault, request: RequestSummary(method: .get, url: URL(string: location)))
    }
    // Out of a cancel's reach: it is too late for one.
    guard let handle = handle.withLock({ $0.take() }) else { return nil }
    defer { self.handle.withLock { $0 = handle } }
    do {
      // Else a crash could leave the name with bytes that never reached the disk.
      try handle.synchronize()
    } catch {
      throw Self.failure("cannot be written", places.part, error)
    }
    guard rename(places.part.path, places.target.path) == 0 else {
      throw Self.failure("cannot be put in place", places.target, CocoaError(.fileWriteUnknown))
    }
    state.withLock { $0.isWhole = true }
    // A note without a part says nothing, and is overwritten by the next.
    try? FileManager.default.removeItem(at: places.note)
    return head
  }

  /// A 206 may leave out what the client has already (RFC 9110 §15.3.7.2).
  private func keptNote(_ head: ResponseHead) -> PartialFileNote? {
    guard head.statusCode == 206, head.headers["ETag"] == nil else { return nil }
    return state.withLock { $0.note }
  }

  private func write(_ note: PartialFileNote?) throws(RESTError) {
    do {
      guard let note else {
        if FileManager.default.fileExists(atPath: places.note.path) {
          try FileManager.default.removeItem(at: places.note)
        }
        return
      }
      try JSONEncoder().encode(note).write(to: places.note, options: .atomic)
    } catch {
      throw Self.failure("cannot be written", places.note, error)
    }
  }

  private static func open(_ part: URL) throws(RESTError) -> FileHandle {
    let handle: FileHandle
    let isOurs: Bool
    do {
      handle = try .opening(part.path, O_RDWR | O_CREAT, mode: 0o666)
      isOurs = try handle.takeLock(waiting: false)
    } catch {
      throw failure("cannot be opened", part, error)
    }
    guard isOurs else {
      throw RESTError(
        .file, reason: "another download writes to \(part.lastPathComponent)",
        remedy: "Wait for it to end, or download to another file.")
    }
    return handle
  }

  private static func failure(_ what: String, _ file: URL, _ error: any Error) -> RESTError {
    RESTError(
      .file, reason: "\(file.lastPathComponent) \(what): \(error.localizedDescription)",
      remedy: "Check that its folder exists, is writable and has room.", underlyingError: error)
  }
}

/// The server's part is not the one that was asked for.
struct PartialFileMismatch: Error {}
