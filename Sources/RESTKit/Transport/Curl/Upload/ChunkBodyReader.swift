#if os(Linux)
  import Foundation
  import Streams

  /// A body that comes in chunks; two of them are asked for ahead.
  final class ChunkBodyReader: BodyReader {
    private let body: OpenedRequestBody
    private let onReady: @Sendable () -> Void
    private var inlet: ChunkInlet
    private var current = Data()
    private var sentBytes: Int64 = 0

    /// - Parameter onReady: Called on any thread when there is something after `.nothingYet`.
    init(_ body: OpenedRequestBody, onReady: @escaping @Sendable () -> Void) {
      self.body = body
      self.onReady = onReady
      inlet = ChunkInlet(onReady: onReady)
      body.chunks.subscribe(inlet)
    }

    var length: Int64? { body.length }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead {
      while current.isEmpty {
        switch inlet.next() {
        case .chunk(let chunk): current = chunk
        case .nothingYet: return .nothingYet
        case .failed(let error): throw Self.fault(of: error)
        case .finished: return .end
        }
      }
      let count = min(buffer.count, current.count)
      current.copyBytes(to: buffer, from: current.startIndex..<(current.startIndex + count))
      current = current.dropFirst(count)
      sentBytes += Int64(count)
      return .bytes(count)
    }

    /// To the start only: what was given is gone.
    func rewind(to offset: Int64) -> Bool {
      guard offset == 0 else { return offset == sentBytes }
      guard sentBytes > 0 else { return true }
      inlet.close()
      inlet = ChunkInlet(onReady: onReady)
      body.chunks.subscribe(inlet)
      current = Data()
      sentBytes = 0
      return true
    }

    func close() {
      inlet.close()
    }

    private static func fault(of error: any Error) -> TransportError {
      error as? TransportError
        ?? TransportError(
          kind: .sendFailed, detail: "the body's source failed: \(type(of: error))",
          mayHaveBeenProcessed: true)
    }
  }
#endif
