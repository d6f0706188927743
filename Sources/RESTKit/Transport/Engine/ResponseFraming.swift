/// What a response's head must not say about the length of its body.
enum ResponseFraming {
  /// The fault of a head whose `Content-Length` lines name different lengths: who reads the one and
  /// who reads the other see two different messages on one connection (RFC 9112 §6.3, item 5).
  ///
  /// The same length several times is one length.
  static func fault(of headers: HTTPHeaders) -> TransportFault? {
    var lengths: Set<String> = []
    for line in headers.values(for: "Content-Length") {
      for part in line.split(separator: ",", omittingEmptySubsequences: false) {
        lengths.insert(part.filter { !$0.isWhitespace })
      }
    }
    guard lengths.count > 1 else { return nil }
    return TransportFault(
      kind: .malformedResponse, detail: "its head names two different lengths",
      mayHaveBeenProcessed: true)
  }
}
