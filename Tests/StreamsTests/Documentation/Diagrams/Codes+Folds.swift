import Streams

extension DiagramCodes {
  func addFolds() throws {
    let source = numbers()
    try code("Operators/AllSatisfy") { source.allSatisfy { $0 < 3 } }
    try code("Operators/AllSatisfy") {
      source.tryAllSatisfy {
        if $0 == 2 { throw Refused() }
        return true
      }
    }
    try code("Operators/Collect") { source.collect() }
    try code("Operators/CollectByCount") { source.collect(2) }
    try code("Operators/Contains") { source.contains(2) }
    try code("Operators/ContainsWhere") { source.contains { $0 > 1 } }
    try code("Operators/ContainsWhere") {
      source.tryContains {
        if $0 == 2 { throw Refused() }
        return $0 > 2
      }
    }
    try code("Operators/IgnoreOutput") { source.ignoreOutput() }
    try code("Operators/Last") { source.last() }
    try code("Operators/LastWhere") { source.last { $0 < 3 } }
    try code("Operators/LastWhere") {
      source.tryLast {
        if $0 == 3 { throw Refused() }
        return true
      }
    }
    try code("Operators/Max") { source.max() }
    try code("Operators/Max") { source.max { $0 < $1 } }
    try code("Operators/Max") {
      source.tryMax {
        if $0 == 3 || $1 == 3 { throw Refused() }
        return $0 < $1
      }
    }
    try code("Operators/Min") { source.min() }
    try code("Operators/Min") { source.min { $0 < $1 } }
    try code("Operators/Min") {
      source.tryMin {
        if $0 == 3 || $1 == 3 { throw Refused() }
        return $0 < $1
      }
    }
    try code("Operators/Reduce") { source.reduce(0, +) }
    try code("Operators/TryReduce") {
      source.tryReduce(0) {
        if $1 == 3 { throw Refused() }
        return $0 + $1
      }
    }
    try addLetterFolds()
  }

  private func addLetterFolds() throws {
    let source = letters()
    try code("Operators/Count") { source.count() }
  }
}
