import Streams

/// Something that happens once, and that tasks wait for.
package final class Latch: Sendable {
  private struct State: Sendable {
    var hasFired = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  package init() {}

  package func fire() {
    let waiting = state.withLock { state in
      state.hasFired = true
      let waiting = state.waiting
      state.waiting = []
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  package func wait() async {
    await withCheckedContinuation { continuation in
      let hasFired = state.withLock { state in
        if !state.hasFired { state.waiting.append(continuation) }
        return state.hasFired
      }
      if hasFired { continuation.resume() }
    }
  }
}

/// Returns once the task is cancelled.
package func untilCancelled() async {
  let stream = AsyncStream<Never> { _ in }
  for await _ in stream {}
}
