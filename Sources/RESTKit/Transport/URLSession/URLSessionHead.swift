/// What a head must not say, as far as Foundation shows it.
enum URLSessionHead {
  /// Of content codings no more are taken: each one multiplies what a byte may cost, and libcurl undoes
  /// five of them on the queue that all sessions of the process share.
  private static let mostCodings = 2

  /// The fault of the head of an answer to a method; nil where there is none.
  static func fault(status: Int, headers: HTTPHeaders, method: String?) -> TransportError? {
    if let fault = ResponseFraming.fault(of: headers) { return fault }
    if status == 101 { return ResponseFraming.faultOfInterim(status: status, headers) }
    // RFC 9110 §5.5.
    guard !headers.contains(where: { $0.value.utf8.contains(0x0D) }) else {
      return ResponseFraming.malformed("the value of a header has a carriage return")
    }
    // What has no body has nothing to undo.
    guard method != "HEAD", status != 204, status != 304, headers["Content-Length"] != "0" else {
      return nil
    }
    let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
    guard codings.count <= mostCodings else {
      return TransportError(
        kind: .undecodableBody, detail: "more than \(mostCodings) content codings",
        mayHaveBeenProcessed: true, statusCode: status)
    }
    return nil
  }
}
