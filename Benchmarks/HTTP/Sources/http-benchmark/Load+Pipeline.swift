import Streams
import Synchronization

extension Load {
  /// Makes the calls in one pipeline, as many at a time as there are callers, and returns their
  /// results.
  ///
  /// A task waits for the end of the pipeline only.
  ///
  /// - Parameter call: A closure that returns a publisher of the number of bytes of one body.
  func answers(
    inPipeline call: @escaping @Sendable () -> AnyPublisher<Int, any Error>
  ) async throws -> Answers {
    var answers = Answers()
    let turn = isTogether ? callers : calls
    for begun in stride(from: 0, to: calls, by: turn) {
      answers.add(try await pipeline(of: min(turn, calls - begun), call))
    }
    return answers
  }

  private func pipeline(
    of calls: Int, _ call: @escaping @Sendable () -> AnyPublisher<Int, any Error>
  ) async throws -> Answers {
    let tally = Tally(calls: isTimed ? calls : 0)
    return try await withCheckedThrowingContinuation { continuation in
      tally.subscription = (0..<calls).publisher
        .flatMap(maxPublishers: .max(callers)) {
          [isTimed] _ -> AnyPublisher<(Int, Duration?), any Error> in
          guard isTimed else { return call().map { ($0, Duration?.none) }.eraseToAnyPublisher() }
          let begin = ContinuousClock.now
          return call().map { ($0, ContinuousClock.now - begin) }.eraseToAnyPublisher()
        }
        .sink(
          receiveCompletion: { completion in
            tally.subscription = nil
            switch completion {
            case .finished: continuation.resume(returning: tally.answers)
            case .failure(let error): continuation.resume(throwing: error)
            }
          },
          receiveValue: { bytes, time in tally.add(bytes, time) })
    }
  }
}

/// The results of a pipeline so far, and its subscription.
private final class Tally: Sendable {
  private struct State {
    var answers = Answers()
    var hasEnded = false
    var subscription: AnyCancellable?
  }

  private let state = Mutex(State())

  init(calls: Int) {
    state.withLock { $0.answers.times.reserveCapacity(calls) }
  }

  var answers: Answers { state.withLock { $0.answers } }

  /// The subscription until the end, which may come before it.
  var subscription: AnyCancellable? {
    get { state.withLock { $0.subscription } }
    set {
      let former = state.withLock { state in
        if newValue == nil { state.hasEnded = true }
        let former = state.subscription
        state.subscription = state.hasEnded ? nil : newValue
        return former
      }
      withExtendedLifetime(former) {}
    }
  }

  func add(_ bytes: Int, _ time: Duration?) {
    state.withLock { state in
      state.answers.bytes += bytes
      if let time { state.answers.times.append(time) }
    }
  }
}
