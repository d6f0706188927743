/// One library's implementation of a case.
public struct Contender: Sendable {
  public let library: Library
  /// Does work of a size and returns its result, which is the same for every library.
  public let run: @Sendable (_ size: Int) -> Int

  public init(_ library: Library, run: @escaping @Sendable (_ size: Int) -> Int) {
    self.library = library
    self.run = run
  }
}

/// A library that does the work.
public enum Library: String, CaseIterable, Sendable {
  case streams = "Streams"
  case openCombine = "OpenCombine"
  /// The standard library's asynchronous sequences and those of swift-async-algorithms.
  case asyncSequences = "async"
  /// The standard library's lazy sequences.
  case lazy = "lazy"
  /// A loop, or a list of closures, written by hand.
  case byHand = "by hand"
  /// The baseline for a case with several threads.
  case streamsAlone = "Streams, one thread"
  case openCombineAlone = "OpenCombine, one thread"
  case byHandAlone = "by hand, one thread"
}
