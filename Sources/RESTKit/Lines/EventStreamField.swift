/// The meaning of a line of a `text/event-stream` (HTML, 9.2.6).
enum EventStreamField {
  /// An empty line, which completes the event.
  case end
  case data(String)
  case event(String)
  case id(String)
  case retry(milliseconds: Int64)
  /// A comment, a field of another name, or an invalid value.
  case ignored

  /// - Parameter line: The line without its end.
  init(_ line: UnsafeBufferPointer<UInt8>) {
    guard !line.isEmpty else {
      self = .end
      return
    }
    let bytes = UnsafeRawBufferPointer(line)
    let colon = bytes.firstIndex(of: UInt8(ascii: ":"), from: 0) ?? line.count
    let isSpaced = colon + 1 < line.count && line[colon + 1] == UInt8(ascii: " ")
    let start = min(colon + (isSpaced ? 2 : 1), line.count)
    let value = UnsafeBufferPointer(rebasing: line[start...])
    let name = UnsafeBufferPointer(rebasing: line[..<colon])
    if name.isName("data") {
      self = .data(String(decoding: value, as: UTF8.self))
    } else if name.isName("event") {
      self = .event(String(decoding: value, as: UTF8.self))
    } else if name.isName("id") {
      self = value.contains(0) ? .ignored : .id(String(decoding: value, as: UTF8.self))
    } else if name.isName("retry") {
      self = value.milliseconds.map { .retry(milliseconds: $0) } ?? .ignored
    } else {
      self = .ignored
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func isName(_ name: StaticString) -> Bool {
    guard count == name.utf8CodeUnitCount else { return false }
    for index in indices where self[index] != name.utf8Start[index] { return false }
    return true
  }

  /// The number that the digits make, clamped to the largest `Int64`; nil for any other text.
  fileprivate var milliseconds: Int64? {
    guard !isEmpty else { return nil }
    var number: Int64 = 0
    for byte in self {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      let (shifted, isTooMuch) = number.multipliedReportingOverflow(by: 10)
      let (sum, isMore) = shifted.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      number = isTooMuch || isMore ? .max : sum
    }
    return number
  }
}
