import Streams

/// A record of events in their order, from any thread.
package final class Recording<Element: Sendable>: Sendable {
  private let state = Lock<[Element]>([])

  package init() {}

  package var elements: [Element] { state.withLock { $0 } }
  package var count: Int { state.withLock { $0.count } }

  package func add(_ element: Element) {
    state.withLock { $0.append(element) }
  }
}

/// A place for one thing that comes later.
package final class Box<Value: Sendable>: Sendable {
  private let state: Lock<Value?>

  package init(_ value: Value? = nil) {
    state = Lock(value)
  }

  package var value: Value? { state.withLock { $0 } }

  package func set(_ value: Value?) {
    let released = state.withLock { state in
      let before = state
      state = value
      return before
    }
    withExtendedLifetime(released) {}
  }
}
