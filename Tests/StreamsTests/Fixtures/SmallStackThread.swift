import Dispatch
import Foundation
import StreamsTesting

/// How many repetitions show that a stack does not grow. Either number overflows 512 KiB if a
/// repetition keeps as little as six bytes of stack; the smaller one keeps debug builds quick.
#if DEBUG
  let manyTimes = 100_000
#else
  let manyTimes = 1_000_000
#endif

/// Runs a body on a thread of its own with the stack of a secondary thread: 512 KiB.
///
/// - Returns: Whether it came to its end within the time; a deadlock does not.
func runsOnSmallStack(
  within seconds: Double = 60, _ body: @escaping @Sendable () -> Void
) -> Bool {
  let live = LiveSubscriptions.current ?? LiveSubscriptions()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    live.resume(body)
    done.signal()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  return done.wait(timeout: .now() + seconds) == .success
}
