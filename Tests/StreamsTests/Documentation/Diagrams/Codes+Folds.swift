import Streams

extension DiagramCodes {
  func addFolds() throws {
    let source = numbers()
    try code("allSatisfy") { source.allSatisfy { $0 < 3 } }
    try code("tryAllSatisfy") {
      source.tryAllSatisfy {
        if $0 == 2 { throw Refused() }
        return true
      }
    }
    try code("collect") { source.collect() }
    try code("collect") { source.collect(2) }
    try code("contains") { source.contains(2) }
    try code("contains") { source.contains { $0 > 1 } }
    try code("tryContains") {
      source.tryContains {
        if $0 == 2 { throw Refused() }
        return $0 > 2
      }
    }
    try code("ignoreOutput") { source.ignoreOutput() }
    try code("last") { source.last() }
    try code("last") { source.last { $0 < 3 } }
    try code("tryLast") {
      source.tryLast {
        if $0 == 3 { throw Refused() }
        return true
      }
    }
    try code("max") { source.max() }
    try code("max") { source.max { $0 < $1 } }
    try code("tryMax") {
      source.tryMax {
        if $0 == 3 || $1 == 3 { throw Refused() }
        return $0 < $1
      }
    }
    try code("min") { source.min() }
    try code("min") { source.min { $0 < $1 } }
    try code("tryMin") {
      source.tryMin {
        if $0 == 3 || $1 == 3 { throw Refused() }
        return $0 < $1
      }
    }
    try code("reduce") { source.reduce(0, +) }
    try code("tryReduce") {
      source.tryReduce(0) {
        if $1 == 3 { throw Refused() }
        return $0 + $1
      }
    }
    try addLetterFolds()
  }

  private func addLetterFolds() throws {
    let source = letters()
    try code("count") { source.count() }
  }
}
