import Foundation
import RESTKit
import Streams
import Synchronization

/// A request's body on its way to a client: how much of it the client has taken, and why it failed.
final class RequestUpload: Sendable {
  /// The latest of what was taken; it ends with the body, or with the answer.
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

  /// What the client takes.
  var body: HTTPMessageBody { HTTPMessageBody(Chunks(upload: self), length: opened.length) }

  /// What the body failed with.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Notes that the client has answered.
  ///
  /// One that knows the length need not have asked for the end of the body.
  func noteAnswer() {
    if state.withLock({ $0.takenBytes }) == opened.length { tellTaken() }
    endProgress()
  }

  func endProgress() {
    step.finish()
  }

  /// Lets go of what the body comes from.
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
      // A client asks for a chunk when it has dealt with the one before.
      upload.tellTaken()
      guard let chunk = try await wanted() else {
        // An end would make a whole request of what was taken so far.
        if upload.isOver.value || Task.isCancelled { throw CancellationError() }
        upload.endProgress()
        return nil
      }
      upload.state.withLock { $0.takenBytes += Int64(chunk.count) }
      return chunk
    }

    private mutating func wanted() async throws -> Data? {
      // Meanwhile it is the body's source that is waited for, and not the server.
      upload.clock.pause()
      defer { upload.clock.resume() }
      do {
        return try await chunks.next()
      } catch {
        upload.note(error)
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
