import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestBody {
  /// A value as JSON, with `application/json` for its `Content-Type`.
  ///
  /// It is encoded when somebody subscribes, and anew for each attempt. What cannot be encoded fails
  /// the call with ``RESTError`` of kind `invalidRequest`, which names the place in the value; nothing
  /// was sent then.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoder: Encodes it.
  public static func json(
    _ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()
  ) -> RequestBody {
    RequestBody(contentType: "application/json") { request in
      do {
        return .data(try encoder.encode(value))
      } catch {
        throw RESTError(unencodable: error, request: request)
      }
    }
  }
}

extension RequestBody {
  /// The fields of a form, as `application/x-www-form-urlencoded` with that `Content-Type`.
  ///
  /// ```swift
  /// api.post(endpoint: "login", body: .form(["user": name, "remember": "yes"]))
  /// ```
  ///
  /// - Parameter fields: Names and values, not encoded, in this order. A `URLQueryItem` without a value has
  ///   an empty one.
  public static func form(_ fields: QueryItems) -> RequestBody {
    .data(FormEncoding.data(fields), contentType: "application/x-www-form-urlencoded")
  }
}

extension RequestBody {
  /// A form with texts, bytes and files, as `multipart/form-data` with that `Content-Type`, whose
  /// boundary has to stay.
  ///
  /// Files are looked at when somebody subscribes, and read while they are sent; then the request's
  /// `timeoutInterval`, in seconds, is the time that the server may be silent for. What cannot be sent
  /// of it fails the call, as ``MultipartForm`` says.
  ///
  /// - Parameter form: The form; a list of its parts will do.
  public static func multipart(_ form: MultipartForm) -> RequestBody {
    RequestBody(contentType: form.contentType) { try form.body(for: $0) }
  }
}

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
