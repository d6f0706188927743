import Cases

public enum BridgeContenders {
  /// The contenders for streams between Streams and Combine.
  public static func all(for workCase: Case) -> [Contender] {
    switch workCase {
    case .toCombine: [Contender(.streams, run: Bridges.toCombine)]
    case .fromCombine: [Contender(.streams, run: Bridges.fromCombine)]
    case .throughCombine: [Contender(.streams, run: Bridges.throughCombine)]
    default: []
    }
  }
}
