#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Stops in the attached debugger by raising SIGTRAP.
///
/// Without a debugger, SIGTRAP ends the process.
@usableFromInline func stopInDebugger() {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    raise(SIGTRAP)
  #endif
}
