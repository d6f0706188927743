import Foundation
import NIOCore
import RESTKit
import Streams

/// The chunks of a body, as a sequence that the client reads.
struct UploadBody: AsyncSequence, Sendable {
  let chunks: AnyPublisher<Data, any Error>
  let progress: UploadProgress
  let clock: ExchangeClock

  func makeAsyncIterator() -> Iterator {
    let wanted = chunks.prefix(untilOutputFrom: progress.stops).eraseToAnyPublisher()
    return Iterator(
      chunks: wanted.values(buffering: .prefetch(2)).makeAsyncIterator(), progress: progress,
      clock: clock)
  }

  struct Iterator: AsyncIteratorProtocol {
    var chunks: AsyncValues<AnyPublisher<Data, any Error>>.Iterator
    let progress: UploadProgress
    let clock: ExchangeClock
    var sentBytes: Int64 = 0

    mutating func next() async throws -> ByteBuffer? {
      // The client requests a chunk when it has passed the previous one to the network.
      if sentBytes > 0 { progress.note(sent: sentBytes) }
      // Meanwhile the exchange waits for the body's source, not for the server.
      clock.noteUpload(isWaitingForServer: false)
      defer { clock.noteUpload(isWaitingForServer: true) }
      do {
        guard let chunk = try await chunks.next() else {
          // After an end, the server would take the bytes so far for the whole body.
          if progress.isStopped { throw CancellationError() }
          progress.end()
          return nil
        }
        sentBytes += Int64(chunk.count)
        return ByteBuffer(bytes: chunk)
      } catch {
        progress.note(error)
        throw error
      }
    }
  }
}
