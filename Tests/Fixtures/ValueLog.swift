import Streams

/// Values from any thread, in order: the arguments of closures, or lines.
package final class ValueLog<Value: Sendable>: Sendable {
  private let values = Lock<[Value]>([])

  package init() {}

  package var all: [Value] { values.withLock { $0 } }

  package func add(_ value: Value) { values.withLock { $0.append(value) } }
}
