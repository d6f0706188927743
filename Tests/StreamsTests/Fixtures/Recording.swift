import Streams

/// A record of events in their order, from any thread.
final class Recording<Element: Sendable>: Sendable {
  private let state = Lock<[Element]>([])

  var elements: [Element] { state.withLock { $0 } }
  var count: Int { state.withLock { $0.count } }

  func add(_ element: Element) {
    state.withLock { $0.append(element) }
  }
}

/// A place for one thing that comes later.
final class Box<Value: Sendable>: Sendable {
  private let state: Lock<Value?>

  init(_ value: Value? = nil) {
    state = Lock(value)
  }

  var value: Value? { state.withLock { $0 } }

  func set(_ value: Value?) {
    let released = state.withLock { state in
      let before = state
      state = value
      return before
    }
    withExtendedLifetime(released) {}
  }
}
