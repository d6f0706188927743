import Streams
import StreamsCombine
import Synchronization

/// The rules that are reported as broken by this module while a body runs on this thread.
func violations(in body: () -> Void) -> [ContractViolation.Rule] {
  let seen = Mutex<[ContractViolation.Rule]>([])
  let tests = ObservedViolationScope()
  let observer = ContractViolation.observe { violation in
    if ObservedViolationScope.current == tests { seen.withLock { $0.append(violation.rule) } }
  }
  ObservedViolationScope.$current.withValue(tests) { body() }
  observer.cancel()
  return seen.withLock { $0 }
}

/// Tells one test's violations from those of others, which run at the same time.
final class ObservedViolationScope: Sendable, Equatable {
  @TaskLocal static var current: ObservedViolationScope?

  static func == (lhs: ObservedViolationScope, rhs: ObservedViolationScope) -> Bool { lhs === rhs }
}

/// A value that is not marked as `Sendable` but may pass between threads.
struct Unmarked<Base>: @unchecked Sendable {
  let base: Base

  init(_ base: Base) {
    self.base = base
  }
}
