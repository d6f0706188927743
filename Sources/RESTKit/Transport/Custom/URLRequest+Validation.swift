import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Checks what a transport has to check before a byte is sent: for a transport of your own.
  ///
  /// `URLRequest` holds what cannot be sent, or would be taken for something else on the wire: a
  /// method or a header's name that is no token, a value with a line break, a header that frames the
  /// message and belongs to the transport (`Host`, `Content-Length`, `Transfer-Encoding`,
  /// `Connection`), a header in two spellings, a URL without a host or with user info.
  ///
  /// - Parameter body: The body that is sent besides the request, as in
  ///   ``Transport/events(for:body:)``.
  /// - Throws: A fault of kind `unsupportedURL` or `invalidRequest` that names the part, and never a
  ///   header's value.
  public func validateForSending(body: RequestBody? = nil) throws(TransportError) {
    try EngineRequest(self, url: target(), body: body).validate()
  }
}
