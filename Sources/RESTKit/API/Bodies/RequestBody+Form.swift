import Foundation

extension RequestBody {
  /// The fields of a form, as `application/x-www-form-urlencoded` with that `Content-Type`.
  ///
  /// - Parameter fields: Names and values, not encoded; nil is an empty value. They go in this order,
  ///   also where a name comes twice.
  public static func form(_ fields: [URLQueryItem]) -> RequestBody {
    .data(FormEncoding.data(fields), contentType: "application/x-www-form-urlencoded")
  }
}
