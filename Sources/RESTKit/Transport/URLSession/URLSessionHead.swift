/// Checks of a response's head, as far as Foundation shows the head.
enum URLSessionHead {
  /// Returns the fault of the head of a response to a method, or nil if there is none.
  static func fault(status: Int, headers: HTTPHeaders, method: String?) -> TransportError? {
    if let fault = ResponseFraming.fault(of: headers) { return fault }
    if let fault = ResponseFraming.faultOfSwitch(status: status) { return fault }
    // RFC 9110 §5.5.
    guard !headers.contains(where: { $0.value.utf8.contains(0x0D) }) else {
      return ResponseFraming.malformed("the value of a header has a carriage return")
    }
    // A response without a body needs no decoding.
    guard HTTPStatus.allowsBody(status, to: method), headers["Content-Length"] != "0" else {
      return nil
    }
    // Foundation decodes on the queue that all sessions of the process share.
    let most = HTTPHeaders.mostContentCodings
    guard headers.contentCodings.count > most else { return nil }
    return .afterSending(.undecodableBody, "more than \(most) content codings", status: status)
  }
}
