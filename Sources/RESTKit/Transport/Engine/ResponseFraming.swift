/// What a response's head must not say about the length of its body.
enum ResponseFraming {
  /// The fault of a head whose `Content-Length` is no number, or whose lines name different lengths:
  /// who reads the one and who reads the other see two different messages on one connection
  /// (RFC 9112 §6.3, item 5).
  ///
  /// The same length several times is one length.
  static func fault(of headers: HTTPHeaders) -> TransportFault? {
    var known: Int64?
    for (name, line) in headers where HTTPHeaders.isSameName(name, "Content-Length") {
      for part in line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = length(part) else {
          return fault("its head names a length that is no number")
        }
        guard known == nil || known == length else {
          return fault("its head names two different lengths")
        }
        known = length
      }
    }
    return nil
  }

  private static func fault(_ detail: String) -> TransportFault {
    TransportFault(kind: .malformedResponse, detail: detail, mayHaveBeenProcessed: true)
  }

  /// Digits alone between blanks, and no more of them than fit.
  private static func length(_ text: Substring.UTF8View) -> Int64? {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let digits = text.drop(while: isBlank)
    var length: Int64 = 0
    var count = 0
    for byte in digits {
      if isBlank(byte) { break }
      guard (0x30...0x39).contains(byte) else { return nil }
      let (tens, overflow) = length.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int64(byte - 0x30))
      guard !overflow, !carry else { return nil }
      length = sum
      count += 1
    }
    guard count > 0, digits.dropFirst(count).allSatisfy(isBlank) else { return nil }
    return length
  }
}
