import Testing

/// Faults of swift-corelibs-foundation that a process does not live through.
///
/// Apple's Foundation is another one. Nothing says that it has them, so nothing is skipped there.
enum Foundation6 {
  /// Skips a case with its reason, unless this toolchain's Foundation has mended it.
  ///
  /// - Parameter mendedIn: The first release without the fault; nil where none is known.
  static func skip(_ reason: String, mendedIn: String?) throws {
    #if canImport(FoundationNetworking)
      #if compiler(>=6.4)
        if mendedIn == "6.4" { return }
      #endif
      let release = mendedIn.map { "before Swift \($0)" } ?? "of Swift 6.3 and all we know of"
      try Test.cancel("Foundation \(release) \(reason), which ends the process")
    #endif
  }
}
