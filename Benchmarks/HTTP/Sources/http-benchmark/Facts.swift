/// Numbers by name: what a process of its own tells the one that started it.
struct Facts {
  private var numbers: [String: Int] = [:]

  init(_ numbers: KeyValuePairs<Name, Int> = [:]) {
    for (name, number) in numbers { self.numbers[name.rawValue] = number }
  }

  /// Reads ``text``.
  init(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=")
      if parts.count == 2, let number = Int(parts[1]) { numbers[String(parts[0])] = number }
    }
  }

  /// One `name=number` a line.
  var text: String { numbers.map { "\($0.key)=\($0.value)" }.joined(separator: "\n") }

  subscript(name: Name) -> Int? {
    get { numbers[name.rawValue] }
    set { numbers[name.rawValue] = newValue }
  }

  enum Name: String {
    /// Bytes by which memory grew in the last half.
    case growth
    case descriptorsBefore, descriptorsAfter
    case answered, connections
    /// Bytes at most, and before the calls.
    case peak, idle
    /// Milliseconds that it took, and that the program curl takes for the same.
    case milliseconds, peerMilliseconds
    /// Nanoseconds for a call.
    case nanoseconds
    /// Nanoseconds of the 50th, 99th and 99.9th percentile of small calls: alone, beside one whose answer is
    /// decoded on a queue, and beside one whose answer is decoded on the transport's thread.
    case quiet50, quiet99, quiet999
    case queue50, queue99, queue999
    case beside50, beside99, beside999
  }
}
