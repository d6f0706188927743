import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestBody {
  /// Puts the body on a request, with its `Content-Type`.
  ///
  /// - Returns: What has to be sent besides the request, since it is not to be in memory; nil for
  ///   nothing.
  /// - Throws: `RESTError` where the body cannot be made.
  func put(on request: inout URLRequest) throws -> RequestBody? {
    if let contentType { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
    let body = try made(for: RequestSummary(request))
    guard case .data(let data) = body.source else { return body }
    request.httpBody = data
    return nil
  }
}
