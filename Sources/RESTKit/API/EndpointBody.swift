import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a request carries, and what it says that is.
///
/// It is made anew for each attempt.
public struct EndpointBody: Sendable {
  private enum Content: Sendable {
    case data(@Sendable () throws -> Data)
    case form(MultipartForm)
  }

  private let contentType: String?
  private let content: Content

  /// A value as JSON.
  ///
  /// What cannot be encoded fails the call with ``RESTError`` of kind `invalidRequest`.
  public static func json(
    _ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()
  ) -> EndpointBody {
    EndpointBody(contentType: "application/json", content: .data { try encoder.encode(value) })
  }

  /// A form with texts, bytes and files.
  ///
  /// What cannot be sent of it fails the call, as ``MultipartForm`` says.
  public static func multipart(_ form: MultipartForm) -> EndpointBody {
    EndpointBody(contentType: form.contentType, content: .form(form))
  }

  /// Bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - contentType: What they are (RFC 9110 §8.3); nil says nothing of it.
  public static func data(_ data: Data, contentType: String?) -> EndpointBody {
    EndpointBody(contentType: contentType, content: .data { data })
  }

  /// Puts the body on a request, with its `Content-Type`.
  ///
  /// - Returns: What has to be sent besides the request, since it is not to be in memory; nil for
  ///   nothing.
  /// - Throws: `RESTError` where the body cannot be made.
  func put(on request: inout URLRequest) throws(RESTError) -> RequestBody? {
    if let contentType { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
    switch content {
    case .data(let data):
      do {
        request.httpBody = try data()
      } catch {
        throw RESTError(unencodable: error, request: RequestSummary(request))
      }
    case .form(let form):
      let body = try form.body(for: RequestSummary(request))
      guard case .data(let data) = body.source else { return body }
      request.httpBody = data
    }
    return nil
  }
}
