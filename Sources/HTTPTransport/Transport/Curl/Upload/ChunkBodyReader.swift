#if os(Linux)
  import Foundation
  import HTTPWire
  import Streams

  /// A body from a publisher.
  ///
  /// Two chunks are requested ahead.
  final class ChunkBodyReader: BodyReader {
    private let publisher: AnyPublisher<Data, any Error>
    private let promised: Int64?
    private let deliveryQueue: CurlDeliveryQueue
    private let onReady: @Sendable () -> Void
    private var inlet: ChunkInlet
    private var current = Data()
    private var sentBytes: Int64 = 0

    /// - Parameters:
    ///   - length: The required number of bytes, or nil for any number.
    ///   - deliveryQueue: Runs the publisher's code.
    ///   - onReady: A closure that runs on any thread when there is something after `.nothingYet`.
    init(
      _ publisher: AnyPublisher<Data, any Error>, length: Int64?,
      _ deliveryQueue: CurlDeliveryQueue,
      onReady: @escaping @Sendable () -> Void
    ) {
      self.publisher = publisher
      promised = length
      self.deliveryQueue = deliveryQueue
      self.onReady = onReady
      inlet = ChunkInlet(onReady: onReady)
      subscribe()
    }

    var length: Int64? { promised }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead {
      while current.isEmpty {
        switch inlet.next() {
        case .chunk(let chunk):
          // The release of the previous chunk may run user code.
          deliveryQueue.run { [inlet, current] in withExtendedLifetime(current) { inlet.ask() } }
          current = chunk
        case .nothingYet: return .nothingYet
        case .failed(let error): throw fault("failed: \(type(of: error))")
        case .finished: return try end()
        }
      }
      let count = min(buffer.count, current.count)
      if let promised, sentBytes + Int64(current.count) > promised {
        throw fault("gave more than the \(promised) bytes of its declared length")
      }
      current.copyBytes(to: buffer, from: current.startIndex..<(current.startIndex + count))
      current = current.dropFirst(count)
      sentBytes += Int64(count)
      return .bytes(count)
    }

    /// Rewinds to the start only, since earlier chunks are not kept.
    func rewind(to offset: Int64) -> Bool {
      guard offset == 0 else { return offset == sentBytes }
      guard sentBytes > 0 else { return true }
      close()
      inlet = ChunkInlet(onReady: onReady)
      subscribe()
      sentBytes = 0
      return true
    }

    func close() {
      deliveryQueue.run { [inlet, current] in withExtendedLifetime(current) { inlet.close() } }
      current = Data()
    }

    private func subscribe() {
      deliveryQueue.run { [inlet, publisher] in publisher.subscribe(inlet) }
    }

    private func end() throws(TransportError) -> BodyRead {
      if let promised, sentBytes < promised {
        throw fault("ended after \(sentBytes) of \(promised) bytes")
      }
      return .end
    }

    private func fault(_ what: String) -> TransportError {
      .afterSending(.sendFailed, "the body's publisher \(what)")
    }
  }
#endif
