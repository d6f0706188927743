import Foundation

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
