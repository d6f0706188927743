/// One library's way to do a case's work.
public struct Contender: Sendable {
  public let library: Library
  /// Does the work of a size and returns what came of it, the same for every library.
  public let run: @Sendable (_ size: Int) -> Int

  public init(_ library: Library, run: @escaping @Sendable (_ size: Int) -> Int) {
    self.library = library
    self.run = run
  }
}

/// Who does the work.
public enum Library: String, CaseIterable, Sendable {
  case streams = "Streams"
  case openCombine = "OpenCombine"
  /// The standard library's asynchronous sequences and those of swift-async-algorithms.
  case asyncSequences = "async"
  /// The standard library's lazy sequences.
  case lazy = "lazy"
  /// A loop, or a list of closures, written by hand.
  case byHand = "by hand"
  /// What a case with several threads is compared with.
  case streamsAlone = "Streams, one thread"
  case openCombineAlone = "OpenCombine, one thread"
  case byHandAlone = "by hand, one thread"
}
