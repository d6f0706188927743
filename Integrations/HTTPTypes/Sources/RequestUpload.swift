import Foundation
import RESTKit
import Streams
import Synchronization

/// The upload of a request's body to a client: the bytes that the client has taken, and the body's
/// error.
final class RequestUpload: Sendable {
  /// The latest progress, which ends with the body or with the response.
  let steps: AsyncStream<TransferProgress>

  private let step: AsyncStream<TransferProgress>.Continuation
  private let opened: OpenedRequestBody
  private let clock: SilenceClock
  private let isOver = CurrentValueSubject<Bool, Never>(false)
  private let state = Mutex(State())

  private struct State {
    var takenBytes: Int64 = 0
    var failure: (any Error)?
  }

  init(_ opened: OpenedRequestBody, clock: SilenceClock) {
    self.opened = opened
    self.clock = clock
    (steps, step) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The body that the client gets.
  var body: HTTPMessageBody { HTTPMessageBody(Chunks(upload: self), length: opened.length) }

  /// The error of the body, if it failed.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Notes that the client has returned a response.
  ///
  /// A client that knows the length may not request the end of the body.
  func noteResponse() {
    if state.withLock({ $0.takenBytes }) == opened.length { tellTaken() }
    endProgress()
  }

  func endProgress() {
    step.finish()
  }

  /// Releases the source of the body.
  func stop() {
    endProgress()
    isOver.send(true)
  }

  private var wantedChunks: AnyPublisher<Data, any Error> {
    opened.chunks.prefix(untilOutputFrom: isOver.filter { $0 }).eraseToAnyPublisher()
  }

  private struct Chunks: AsyncSequence, Sendable {
    let upload: RequestUpload

    func makeAsyncIterator() -> ChunkIterator {
      ChunkIterator(
        upload: upload,
        chunks: upload.wantedChunks.values(buffering: .prefetch(1)).makeAsyncIterator())
    }
  }

  private struct ChunkIterator: AsyncIteratorProtocol {
    let upload: RequestUpload
    var chunks: AsyncValues<AnyPublisher<Data, any Error>>.Iterator

    mutating func next() async throws -> Data? {
      // A client requests a chunk when it has handled the previous one.
      upload.tellTaken()
      guard let chunk = try await wanted() else {
        // After an end, the server would take the bytes so far for the whole body.
        if upload.isOver.value || Task.isCancelled { throw CancellationError() }
        upload.endProgress()
        return nil
      }
      upload.state.withLock { $0.takenBytes += Int64(chunk.count) }
      return chunk
    }

    private mutating func wanted() async throws -> Data? {
      // Meanwhile the exchange waits for the body's source, not for the server.
      upload.clock.pause()
      defer { upload.clock.resume() }
      do {
        return try await chunks.next()
      } catch {
        // A client that fails cancels its reading of the body, which is no failure of the body.
        if !Task.isCancelled || !(error is CancellationError) { upload.note(error) }
        throw error
      }
    }
  }

  private func tellTaken() {
    let taken = state.withLock { $0.takenBytes }
    guard taken > 0 else { return }
    step.yield(TransferProgress(completedBytes: taken, totalBytes: opened.length))
  }

  private func note(_ failure: any Error) {
    state.withLock { $0.failure = $0.failure ?? failure }
    endProgress()
  }
}
