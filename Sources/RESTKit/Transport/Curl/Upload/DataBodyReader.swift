#if os(Linux)
  import Foundation

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
#endif
