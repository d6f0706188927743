#if os(Linux)
  import Foundation
  import HTTPWire

  /// The source of one call's body for libcurl.
  protocol BodyReader: AnyObject {
    /// The total number of bytes, or nil if it is known only at the end.
    var length: Int64? { get }

    /// Copies the next bytes into a buffer.
    ///
    /// - Throws: The fault with which the call fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead

    /// Continues from an offset. Returns false if that is impossible.
    func rewind(to offset: Int64) -> Bool

    /// Releases the source of the body.
    func close()
  }

  /// The result of a read.
  enum BodyRead: Equatable {
    case bytes(Int)
    case end
    /// No bytes at present. The reader reports when there are some.
    case nothingYet
  }

  /// A body in memory.
  final class DataBodyReader: BodyReader {
    private let data: Data
    private var sentBytes = 0

    init(_ data: Data) {
      self.data = data
    }

    var length: Int64? { Int64(data.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
      let count = min(buffer.count, data.count - sentBytes)
      guard count > 0 else { return .end }
      let start = data.startIndex + sentBytes
      data.copyBytes(to: buffer, from: start..<(start + count))
      sentBytes += count
      return .bytes(count)
    }

    func rewind(to offset: Int64) -> Bool {
      guard let place = Int(exactly: offset), (0...data.count).contains(place) else { return false }
      sentBytes = place
      return true
    }

    func close() {}
  }

  /// A body in a file, with the length that the file has when it is opened.
  final class FileBodyReader: BodyReader {
    private let file: BodyFile
    private var sentBytes: Int64 = 0

    /// - Throws: `.invalidRequest` if there is no readable file.
    init(_ url: URL) throws(TransportError) {
      file = try BodyFile(url)
    }

    var length: Int64? { file.length }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead {
      let wanted = Int(min(Int64(buffer.count), file.length - sentBytes))
      guard wanted > 0 else { return .end }
      let data: Data?
      do {
        data = try file.handle.read(upToCount: wanted)
      } catch {
        throw fault("cannot be read on: \(error.localizedDescription)")
      }
      guard let data, !data.isEmpty else {
        throw fault("ended after \(sentBytes) of \(file.length) bytes")
      }
      data.copyBytes(to: buffer)
      sentBytes += Int64(data.count)
      return .bytes(data.count)
    }

    func rewind(to offset: Int64) -> Bool {
      guard (0...file.length).contains(offset),
        (try? file.handle.seek(toOffset: UInt64(offset))) != nil
      else { return false }
      sentBytes = offset
      return true
    }

    /// Does nothing, since the handle closes its file on release.
    func close() {}

    private func fault(_ what: String) -> TransportError {
      .afterSending(.sendFailed, "the body's file \(what)")
    }
  }
#endif
