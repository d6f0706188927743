import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The part of a file that a download has so far, in the folder of the final file.
///
/// The bytes are in `.NAME.part`. Their origin is in `.NAME.part.json`, if it is enough to resume
/// the download. One download at a time holds the lock on the part. If a download ends early, even
/// with its process, the part that remains can be resumed or is discarded. The file's own name
/// always has a whole file or none.
///
/// Other users may write to the folder. So only plain files of this process's user, under one name,
/// are a part and its note. Anything else gives way to a new part.
final class PartialFile: Sendable {
  /// The paths of the final file and of the files next to it.
  private struct Places {
    let target: URL
    let part: URL
    let note: URL
    /// The lengths of names, in bytes, that leave no room for the additions.
    private static let longNames = 255 - "..part.json".utf8.count + 1...255

    /// - Throws: `RESTError` if the target can be no file.
    init(_ target: URL) throws(RESTError) {
      self.target = target
      var name = target.lastPathComponent
      if Self.longNames.contains(name.utf8.count) {
        name = CacheFileName.hex(CacheFileName.digest(name))
      }
      let folder = target.deletingLastPathComponent()
      part = folder.appendingPathComponent(".\(name).part")
      note = folder.appendingPathComponent(".\(name).part.json")
      guard status.map({ $0.st_mode & S_IFMT == S_IFDIR }) != true else {
        throw RESTError(
          .file, reason: "\(target.lastPathComponent) is a folder",
          remedy: "Download to a file, such as one in this folder.")
      }
    }

    /// What is at the target now; nil if there is nothing.
    private var status: stat? {
      var status = stat()
      return lstat(target.path, &status) == 0 ? status : nil
    }

    /// The permissions of the file that the target replaces; nil if there is none.
    ///
    /// A bit that lets a program act for its owner was given to the old bytes, not to the new ones.
    var mode: mode_t? {
      status.flatMap { $0.st_mode & S_IFMT == S_IFREG ? $0.st_mode & 0o777 : nil }
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
  /// - Throws: `RESTError` of kind `file` if the target is a folder, if the part cannot be written,
  ///   or if another download holds it.
  static func open(
    for target: URL, location: String, willLock: () -> Void = {}
  ) throws(RESTError) -> PartialFile {
    let places = try Places(target)
    let handle = try open(places, willLock: willLock)
    return PartialFile(
      handle, places, location: location, try found(handle, places, location: location))
  }

  /// Returns the state that an earlier download left.
  private static func found(
    _ handle: FileHandle, _ places: Places, location: String
  ) throws(RESTError) -> State {
    do {
      let size = Int64(try handle.seekToEnd())
      let note = PartialFileNote(at: places.note)
      if let note, size > 0, note.location.utf8.elementsEqual(location.utf8) {
        return State(size: size, note: note)
      }
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
    // The part is free when this returns, also if another thread is about to release it.
    handle.withLock { handle in
      guard let open = handle.take() else { return }
      if state.withLock({ $0.note == nil && !$0.isWhole }) {
        // The next download overwrites files that cannot be removed.
        try? FileManager.default.removeItem(at: places.part)
        try? FileManager.default.removeItem(at: places.note)
      }
      open.closeWithLock()
    }
  }

  /// Returns the request for the missing bytes (RFC 9110 §13.1.5, §14.2), or, if none is missing,
  /// the question whether the file is still the server's (§13.1.2).
  ///
  /// It accepts no content coding, because the bytes of a range belong to the encoded file.
  func request(from request: URLRequest) -> URLRequest {
    let (size, note) = state.withLock { ($0.size, $0.note) }
    let rest = isComplete ? nil : note
    var request = request
    request.replaceHeader("Accept-Encoding", with: "identity")
    request.replaceHeader("Range", with: rest.map { _ in "bytes=\(size)-" })
    request.replaceHeader("If-Range", with: rest?.entityTag)
    if isComplete { request.replaceHeader("If-None-Match", with: note?.entityTag) }
    return request
  }

  /// Whether there is a part to resume.
  var isResumable: Bool { state.withLock { $0.note != nil } }

  /// Whether the part of an earlier download is the whole file.
  var isComplete: Bool {
    state.withLock { state in state.note.map { $0.total == state.size } ?? false }
  }

  /// Ends the response to a range, if the file goes on behind it.
  ///
  /// A 206 may have fewer bytes than were asked for (RFC 9110 §15.3.7).
  ///
  /// - Returns: Whether it does, so that the rest is to be requested.
  func endRange() -> Bool {
    state.withLock { state in
      guard let end = state.end, let total = state.total, state.size == end, end < total else {
        return false
      }
      state.head = nil
      state.end = nil
      return true
    }
  }

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
    let (size, kept) = state.withLock { ($0.size, $0.note) }
    let note: PartialFileNote?
    let total: Int64?
    var end: Int64?
    switch head.statusCode {
    case 206:
      let range = try ContentRange(of: head, behind: size, of: kept)
      end = range.last + 1
      total = kept?.total ?? range.total
      note = kept?.with(total: total)
    case 304:
      guard head.headers["ETag"].map({ kept?.isOf(version: $0) == true }) ?? true else {
        throw PartialFileMismatch.otherVersion
      }
      total = size
      note = kept
    default:
      guard ContentRange.isOfWhole(head) else { throw PartialFileMismatch.partAsWhole }
      try startOver()
      total = head.headers["Content-Encoding"] == nil ? head.contentLength : nil
      note = PartialFileNote(of: head, location: location)
    }
    // The note of the same version is on the disk, unless the length is news.
    if head.statusCode == 200 || kept?.total != total { try write(note) }
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
  /// - Parameter willWrite: A test's closure before the writing to the medium, which may take
  ///   seconds.
  /// - Returns: nil if the part was released, or if there was no response.
  /// - Throws: `PartialFileMismatch` if the server ended its part before the end of its range.
  func finish(willWrite: () -> Void = {}) throws -> ResponseHead? {
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
    do {
      // A cancel does not wait for the disk: it releases the part, and this handle stays open.
      guard let copy = try handle.withLock({ try $0?.duplicated() }) else { return nil }
      willWrite()
      // Without this, a crash could leave the name with bytes that never reached the disk.
      try copy.writeToMedium()
    } catch {
      throw Self.failure("cannot be written", places.part, error)
    }
    let isInPlace = try handle.withLock { handle in
      guard let handle else { return false }
      try moveIntoPlace(handle)
      return true
    }
    return isInPlace ? head : nil
  }

  private func moveIntoPlace(_ handle: FileHandle) throws(RESTError) {
    // Some file systems have no permissions.
    if let mode = places.mode { fchmod(handle.fileDescriptor, mode) }
    guard rename(places.part.path, places.target.path) == 0 else {
      throw Self.failure("cannot be put in place", places.target, POSIXError.last)
    }
    state.withLock { $0.isWhole = true }
    // A note without a part means nothing. The next download overwrites it.
    try? FileManager.default.removeItem(at: places.note)
  }

  private func write(_ note: PartialFileNote?) throws(RESTError) {
    do {
      // The note of a released part is the next download's.
      try withHandle { _ in
        guard unlink(places.note.path) == 0 || errno == ENOENT else { throw POSIXError.last }
        // A note that is cut by the end of the process is none.
        if let note {
          try FileHandle.opening(places.note.path, O_WRONLY | O_CREAT | O_EXCL)
            .writeAll(JSONEncoder().encode(note))
        }
      }
    } catch {
      throw Self.failure("cannot be written", places.note, error)
    }
  }

  private static func open(_ places: Places, willLock: () -> Void) throws(RESTError) -> FileHandle {
    let part = places.part
    do {
      for _ in 0..<10 {
        guard let handle = try found(at: part) ?? made(at: places) else { continue }
        willLock()
        guard try handle.takeLock(waiting: false) else { break }
        if handle.isFile(at: part.path) { return handle }
        // The former owner has just put the file in place, or removed it.
      }
    } catch {
      throw failure("cannot be opened", part, error)
    }
    throw RESTError(
      .file, reason: "another download writes to \(part.lastPathComponent)",
      remedy: "Wait for it to end, or download to another file.")
  }

  /// Opens the part of an earlier download, and removes anything else in its place.
  ///
  /// - Returns: nil if there is none now.
  private static func found(at part: URL) throws(POSIXError) -> FileHandle? {
    do throws(POSIXError) {
      let handle = try FileHandle.opening(part.path, O_RDWR | O_NONBLOCK)
      if handle.isOwn { return handle }
    } catch  where error.code == .ENOENT {
      return nil
    } catch  where error.code == .ELOOP || error.code == .EACCES {
      // A symbolic link, or the file of another user.
    }
    guard unlink(part.path) == 0 || errno == ENOENT else { throw .last }
    return nil
  }

  /// Makes the part.
  ///
  /// - Returns: nil if another download was faster.
  private static func made(at places: Places) throws(POSIXError) -> FileHandle? {
    let mode = places.mode
    do throws(POSIXError) {
      let handle = try FileHandle.opening(
        places.part.path, O_RDWR | O_CREAT | O_EXCL, mode: mode == nil ? 0o666 : 0o600)
      // Nobody reads more of the new file than of the old one, at no time.
      if let mode { fchmod(handle.fileDescriptor, mode | 0o600) }
      return handle
    } catch  where error.code == .EEXIST {
      return nil
    }
  }

  private static func failure(_ what: String, _ file: URL, _ error: any Error) -> RESTError {
    RESTError(
      .file, reason: "\(file.lastPathComponent) \(what): \(error.localizedDescription)",
      remedy: "Check that its folder exists, is writable and has room.", underlyingError: error)
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
