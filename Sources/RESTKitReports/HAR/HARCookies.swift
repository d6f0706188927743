import Foundation
import RESTKit

/// The cookies of a message in the form of HAR 1.2.
///
/// Their names and attributes are always shown. Their values are shown if the values of their
/// header fields are.
struct HARCookies {
  let redaction: Redaction

  /// Returns the cookies of a `Cookie` field.
  func sent(_ field: String?) -> JSONValue {
    let pairs = field?.split(separator: ";") ?? []
    return .array(pairs.map { .object(pair($0, of: "Cookie")) })
  }

  /// Returns the cookies of a response's `Set-Cookie` fields.
  ///
  /// - Parameter date: The time from which a cookie's age counts.
  func received(_ headers: HTTPHeaders, at date: Date) -> JSONValue {
    .array(
      headers.values(for: "Set-Cookie").map { field in
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        var cookie = pair(parts[0], of: "Set-Cookie")
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
          let (name, value) = Self.parts(part) ?? (part.trimmed, "")
          attributes[name.lowercased()] = value
        }
        cookie["path"] = attributes["path"].map(JSONValue.string)
        cookie["domain"] = attributes["domain"].map(JSONValue.string)
        cookie["secure"] = .bool(attributes["secure"] != nil)
        cookie["httpOnly"] = .bool(attributes["httponly"] != nil)
        cookie["expires"] = Self.end(attributes, from: date).map {
          .string($0.formatted(HAR.dateStyle))
        }
        return .object(cookie)
      })
  }

  private func pair(_ text: Substring, of header: String) -> [String: JSONValue] {
    // A text without a name may be a value.
    let (name, value) = Self.parts(text) ?? ("", text.trimmed)
    return [
      "name": .string(name),
      "value": .string(redaction.hides(header: header) ? Redaction.mark : value),
    ]
  }

  /// Returns the expiry of a cookie.
  ///
  /// Its age takes precedence over a date, and is at most 400 days, as in browsers.
  private static func end(_ attributes: [String: String], from date: Date) -> Date? {
    if let age = attributes["max-age"].flatMap({ Int64($0) }) {
      return date.addingTimeInterval(Double(min(max(age, 0), 400 * 86_400)))
    }
    let now = date.wholeSecondsSince1970
    let seconds = attributes["expires"].flatMap { HTTPDate.secondsSince1970($0, now: now) }
    return seconds.map { Date(timeIntervalSince1970: Double($0)) }
  }

  /// Returns the texts before and after the first `=`, or nil without one.
  private static func parts(_ text: Substring) -> (String, String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    return (text[..<equals].trimmed, text[text.index(after: equals)...].trimmed)
  }
}

extension Substring {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
