#if os(Linux)
  import Foundation

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
