/// Numbers by name, which a child process reports to its parent.
struct Facts {
  private var numbers: [String: Int] = [:]

  init(_ numbers: KeyValuePairs<Name, Int> = [:]) {
    for (name, number) in numbers { self.numbers[name.rawValue] = number }
  }

  /// Creates facts from ``text``.
  init(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=")
      if parts.count == 2, let number = Int(parts[1]) { numbers[String(parts[0])] = number }
    }
  }

  /// The facts as lines of `name=number`.
  var text: String { numbers.map { "\($0.key)=\($0.value)" }.joined(separator: "\n") }

  subscript(name: Name) -> Int? {
    get { numbers[name.rawValue] }
    set { numbers[name.rawValue] = newValue }
  }

  enum Name: String {
    /// The growth of memory in the last half, in bytes.
    case growth
    case descriptorsBefore, descriptorsAfter
    case answered, connections
    /// The maximum memory, and the memory before the calls, in bytes.
    case peak, idle
    /// The time, and that of the program curl for the same transfer, in milliseconds.
    case milliseconds, peerMilliseconds
    /// The maximum time of a call, in nanoseconds.
    case nanoseconds
    /// The 50th, 99th and 99.9th percentiles of small calls in nanoseconds: alone, beside a call
    /// whose response is decoded on a queue, and beside a call whose response is decoded on the
    /// transport's thread.
    case quiet50, quiet99, quiet999
    case queue50, queue99, queue999
    case beside50, beside99, beside999
  }
}
