import AsyncAlgorithms

enum Chains {
  @inline(never)
  static func plain(_ size: Int) async -> Int {
    var sum = 0
    for await value in (0..<size).async
      .map({ $0 &* 3 })
      .filter({ $0 & 1 == 0 })
      .map({ $0 &+ 1 })
    {
      sum &+= value
    }
    return sum
  }

  @inline(never)
  static func twelveStages(_ size: Int) async -> Int {
    let half = (0..<size).async
      .map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 3 }.filter { $0 > 1 }
      .map { $0 &+ 2 }.filter { $0 > 2 }
    let whole = half.map { $0 &* 5 }.filter { $0 > 3 }
      .map { $0 &+ 3 }.filter { $0 > 4 }.map { $0 &* 7 }.filter { $0 > 5 }
    var sum = 0
    for await value in whole { sum &+= value }
    return sum
  }

  @inline(never)
  static func flatMap(_ size: Int) async -> Int {
    var sum = 0
    for await value in (0..<size).async.flatMap({ CollectionOfOne($0).async }) { sum &+= value }
    return sum
  }
}
