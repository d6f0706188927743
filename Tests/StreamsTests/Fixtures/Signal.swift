import Streams

/// Something that happens once, and that tasks wait for.
final class Signal: Sendable {
  private struct State: Sendable {
    var hasFired = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  func fire() {
    let waiting = state.withLock { state in
      state.hasFired = true
      let waiting = state.waiting
      state.waiting = []
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let hasFired = state.withLock { state in
        if !state.hasFired { state.waiting.append(continuation) }
        return state.hasFired
      }
      if hasFired { continuation.resume() }
    }
  }
}
