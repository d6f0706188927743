/// Checks that a response's head is unambiguous about the length of its body.
///
/// Otherwise two readers could see two different messages on one connection.
enum ResponseFraming {
  /// Returns the fault of a head that is ambiguous about its body: its `Content-Length` is not a number, its
  /// lines name different lengths (RFC 9112 §6.3, item 5), or it has a `Transfer-Encoding` other than
  /// `chunked`, the only one that this client's requests allow (§6.1, RFC 9110 §10.1.4).
  ///
  /// The same length several times counts as one length.
  static func fault(of headers: HTTPHeaders) -> TransportError? {
    let codings = headers.values(for: "Transfer-Encoding")
    guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" else {
      return malformed("its Transfer-Encoding is not only chunked")
    }
    return faultOfLength(headers)
  }

  /// Returns the fault of a switch to a protocol that was not requested (RFC 9110 §7.8); nil for other
  /// heads.
  static func faultOfSwitch(status: Int) -> TransportError? {
    status == 101
      ? malformed("it switches to another protocol, which was not requested") : nil
  }

  /// Returns the fault of an interim head that frames a body (RFC 9110 §8.6, RFC 9112 §6.1), or of a switch
  /// to a protocol that was not requested; nil for other heads.
  static func faultOfInterim(status: Int, _ headers: HTTPHeaders) -> TransportError? {
    if let fault = faultOfSwitch(status: status) { return fault }
    guard !headers.contains("Transfer-Encoding"), !headers.contains("Content-Length") else {
      return malformed("an interim head announces a body")
    }
    return nil
  }

  private static func faultOfLength(_ headers: HTTPHeaders) -> TransportError? {
    var known: Int64?
    for (name, line) in headers where HTTPHeaders.isSameName(name, "Content-Length") {
      for part in line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = Int64(digits: Substring(part).trimmingBlanks) else {
          return malformed("its Content-Length is not a number")
        }
        guard known == nil || known == length else {
          return malformed("its head names two different lengths")
        }
        known = length
      }
    }
    return nil
  }

  static func malformed(_ detail: String) -> TransportError {
    .afterSending(.malformedResponse, detail)
  }
}
