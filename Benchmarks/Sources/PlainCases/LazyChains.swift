enum LazyChains {
  @inline(never)
  static func plain(_ size: Int) -> Int {
    var sum = 0
    for value in (0..<size).lazy.map({ $0 &* 3 }).filter({ $0 & 1 == 0 }).map({ $0 &+ 1 }) {
      sum &+= value
    }
    return sum
  }

  @inline(never)
  static func erased(_ size: Int) -> Int {
    let tripled = AnySequence(AnySequence(0..<size).lazy.map { $0 &* 3 })
    let even = AnySequence(tripled.lazy.filter { $0 & 1 == 0 })
    var sum = 0
    for value in AnySequence(even.lazy.map { $0 &+ 1 }) { sum &+= value }
    return sum
  }

  @inline(never)
  static func twelveStages(_ size: Int) -> Int {
    let half = (0..<size).lazy
      .map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 3 }.filter { $0 > 1 }
      .map { $0 &+ 2 }.filter { $0 > 2 }
    let whole = half.map { $0 &* 5 }.filter { $0 > 3 }
      .map { $0 &+ 3 }.filter { $0 > 4 }.map { $0 &* 7 }.filter { $0 > 5 }
    var sum = 0
    for value in whole { sum &+= value }
    return sum
  }

  @inline(never)
  static func flatMap(_ size: Int) -> Int {
    var sum = 0
    for value in (0..<size).lazy.flatMap({ CollectionOfOne($0) }) { sum &+= value }
    return sum
  }

  @inline(never)
  static func zip(_ size: Int) -> Int {
    var sum = 0
    for (left, right) in Swift.zip((0..<size).lazy, (1...size).lazy) { sum &+= left &* right }
    return sum
  }
}
