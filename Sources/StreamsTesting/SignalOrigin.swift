#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Where a signal came from: a thread, which tells one from another as long as both live.
public struct SignalOrigin: Hashable, Sendable, CustomStringConvertible {
  /// A number of the thread.
  public let thread: UInt

  /// Where the caller runs.
  public static var current: SignalOrigin {
    #if canImport(Glibc)
      SignalOrigin(thread: UInt(pthread_self()))
    #else
      SignalOrigin(thread: UInt(bitPattern: pthread_self()))
    #endif
  }

  public var description: String { "thread \(thread)" }
}
