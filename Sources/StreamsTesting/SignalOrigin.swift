#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The origin of a signal: a thread.
///
/// It identifies the thread while the thread lives.
public struct SignalOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The number of the thread.
  public let thread: UInt

  /// The origin of the calling code.
  public static var current: SignalOrigin {
    #if canImport(Glibc)
      SignalOrigin(thread: UInt(pthread_self()))
    #else
      SignalOrigin(thread: UInt(bitPattern: pthread_self()))
    #endif
  }

  public var description: String { "thread \(thread)" }
}
