import Dispatch
import Foundation

/// Runs asynchronous work and waits for it.
public func waiting(for work: @escaping @Sendable () async -> Int) -> Int {
  let result = Sum()
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    result.value = await work()
    done.signal()
  }
  done.wait()
  return result.value
}

/// Runs work on a thread with a stack of the given size and waits for it.
public func waiting(onStackOf bytes: Int, for work: @escaping @Sendable () -> Int) -> Int {
  let result = Sum()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    result.value = work()
    done.signal()
  }
  thread.stackSize = bytes
  thread.start()
  done.wait()
  return result.value
}

/// Splits work of a size between two threads, which begin at the same time.
public func onTwoThreads(_ size: Int, _ work: @escaping @Sendable (Int) -> Int) -> Int {
  let other = Sum()
  let (ready, begin, done) = (
    DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
  )
  Thread {
    ready.signal()
    begin.wait()
    other.value = work(size / 2)
    done.signal()
  }.start()
  ready.wait()
  begin.signal()
  let own = work(size / 2)
  done.wait()
  return own &+ other.value
}
