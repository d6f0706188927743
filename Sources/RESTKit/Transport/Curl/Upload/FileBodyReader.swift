#if os(Linux)
  import Foundation

  /// A body in a file, which keeps the length that it has when it is opened.
  final class FileBodyReader: BodyReader {
    private let handle: FileHandle
    private let size: Int64
    private var sentBytes: Int64 = 0

    /// - Throws: `.invalidRequest` if there is no file that can be read.
    init(_ url: URL) throws(TransportFault) {
      do {
        handle = try FileHandle(forReadingFrom: url)
        size = Int64(try handle.seekToEnd())
        try handle.seek(toOffset: 0)
      } catch {
        throw TransportFault(
          kind: .invalidRequest,
          detail: "the body's file cannot be read: \(error.localizedDescription)",
          mayHaveBeenProcessed: false)
      }
    }

    var length: Int64? { size }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportFault) -> BodyRead {
      let wanted = Int(min(Int64(buffer.count), size - sentBytes))
      guard wanted > 0 else { return .end }
      let data: Data?
      do {
        data = try handle.read(upToCount: wanted)
      } catch {
        throw fault("cannot be read on: \(error.localizedDescription)")
      }
      guard let data, !data.isEmpty else {
        throw fault("ended after \(sentBytes) of \(size) bytes")
      }
      data.copyBytes(to: buffer)
      sentBytes += Int64(data.count)
      return .bytes(data.count)
    }

    func rewind(to offset: Int64) -> Bool {
      guard (0...size).contains(offset), (try? handle.seek(toOffset: UInt64(offset))) != nil else {
        return false
      }
      sentBytes = offset
      return true
    }

    /// The handle closes its file when it goes.
    func close() {}

    private func fault(_ what: String) -> TransportFault {
      TransportFault(
        kind: .sendFailed, detail: "the body's file \(what)", mayHaveBeenProcessed: true)
    }
  }
#endif
