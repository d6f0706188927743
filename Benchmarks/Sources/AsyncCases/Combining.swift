import AsyncAlgorithms

enum Combining {
  @inline(never)
  static func zip(_ size: Int) async -> Int {
    var sum = 0
    for await (left, right) in AsyncAlgorithms.zip((0..<size).async, (1...size).async) {
      sum &+= left &* right
    }
    return sum
  }

  @inline(never)
  static func merge(_ size: Int) async -> Int {
    var sum = 0
    for await value in AsyncAlgorithms.merge((0..<size).async, (1...size).async) { sum &+= value }
    return sum
  }

  @inline(never)
  static func combineLatest(_ size: Int) async -> Int {
    var last = 0
    for await (left, right) in AsyncAlgorithms.combineLatest((0..<size).async, (1...size).async) {
      last = left &+ right
    }
    return last
  }
}
