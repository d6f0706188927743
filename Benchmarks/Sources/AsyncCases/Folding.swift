import AsyncAlgorithms

enum Folding {
  @inline(never)
  static func scan(_ size: Int) async -> Int {
    var sum = 0
    for await value in (0..<size).async.reductions(0, { $0 &+ $1 }) { sum &+= value }
    return sum
  }

  @inline(never)
  static func reduce(_ size: Int) async -> Int {
    await (0..<size).async.reduce(0) { $0 &+ $1 }
  }

  @inline(never)
  static func prefix(_ size: Int) async -> Int {
    var sum = 0
    for await value in (0..<Int.max).async.prefix(size) { sum &+= value }
    return sum
  }

  @inline(never)
  static func share(_ size: Int) async -> Int {
    var sum = 0
    for await value in (0..<size).async.share() { sum &+= value }
    return sum
  }
}
