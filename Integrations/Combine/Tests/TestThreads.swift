import Dispatch
import Foundation

/// How many values show that the stack does not grow: 20 bytes for each would overflow it.
let manyValues = isDebug ? 100_000 : 1_000_000

private let isDebug: Bool = {
  var isDebug = false
  assert(
    {
      isDebug = true
      return true
    }())
  return isDebug
}()

/// Runs a body on its own thread and waits for it.
///
/// - Parameter stackSize: The stack's bytes, by default those of a secondary thread on Apple's
///   systems.
func onThread(stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  done.wait()
}

/// Runs a body on several threads that begin together, and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
  let (begin, group) = (DispatchSemaphore(value: 0), DispatchGroup())
  for index in 0..<count {
    group.enter()
    Thread {
      begin.wait()
      body(index)
      group.leave()
    }.start()
  }
  for _ in 0..<count { begin.signal() }
  group.wait()
}
