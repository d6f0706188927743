enum Streaming {
  /// `AsyncStream` as it is put round a source that calls back: all values wait in its buffer.
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
