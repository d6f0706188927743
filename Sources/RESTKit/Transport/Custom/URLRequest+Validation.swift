import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Validates the request before any byte is sent, for transports of your own.
  ///
  /// `URLRequest` allows parts that cannot be sent or that change the message on the wire. These are a method
  /// or a header's name that is not a token, a value with a line break, and a header field that only the
  /// transport may set because it frames the message (`Host`, `Content-Length`, `Transfer-Encoding`,
  /// `Connection`). They are also a header field in two spellings, and a URL without a host or with user
  /// info.
  ///
  /// - Parameter body: The body that is sent besides the request, as in ``Transport/events(for:body:)``.
  /// - Throws: A fault of kind `unsupportedURL` or `invalidRequest` that names the part, but never a
  ///   header's value.
  public func validateForSending(body: RequestBody? = nil) throws(TransportError) {
    try EngineRequest(self, url: target(), body: body).validate()
  }
}
