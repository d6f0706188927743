import Dispatch
import Foundation
import StreamsTesting

/// How many repetitions show that a stack does not grow.
///
/// 20,000 overflow 512 KiB if each keeps 27 bytes of stack, and no call keeps less than 32 in a
/// debug build; 10⁶ are for release builds: `swift test -c release --filter 'Depth|ConstantStack'`.
/// ThreadSanitizer looks for other things and makes each many times as slow.
package let manyTimes: Int = {
  if isThreadSanitized { return 10_000 }
  #if DEBUG
    return 20_000
  #else
    return 1_000_000
  #endif
}()

private let isThreadSanitized = dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil

/// Runs a body on its own thread with the stack of a secondary thread: 512 KiB.
///
/// - Returns: Whether the body ended within the time. A deadlock does not end.
package func runsOnSmallStack(
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
