import Foundation

extension Redaction {
  /// The body in a form that may be shown; nil if no part of it may.
  ///
  /// - Parameter contentEncoding: The content coding of the bytes; nil for none.
  package func body(_ data: Data, contentType: String?, contentEncoding: String? = nil) -> Data? {
    if self == .none || data.isEmpty { return data }
    // Secrets in compressed bytes cannot be found.
    guard contentEncoding == nil else { return nil }
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Data(fields(String(decoding: data, as: UTF8.self), mark: Self.markInURL).utf8)
    }
    // A multipart body would have to be split to hide single parts.
    if type.hasPrefix("multipart/") { return nil }
    if let masked = JSONMask.masked(data, hides: hides(valueOf:)) { return masked }
    // Text that is not JSON has no names to hide by. Text that claims to be JSON may be a cut one.
    return self == .byName && !type.contains("json") ? data : nil
  }
}
