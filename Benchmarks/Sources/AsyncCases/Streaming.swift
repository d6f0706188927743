enum Streaming {
  /// An `AsyncStream` around a source with callbacks, in whose buffer all values wait.
  @inline(never)
  static func values(_ size: Int) async -> Int {
    let stream = AsyncStream<Int> { continuation in
      for number in 0..<size { continuation.yield(number) }
      continuation.finish()
    }
    var sum = 0
    for await value in stream { sum &+= value }
    return sum
  }
}
