import Foundation
import RESTKit

extension SecretMask {
  /// A body without the secrets that have names; what is not text stays as it is.
  ///
  /// It has as many lines as before.
  func body(_ data: Data, type: String?, in place: SecretNames.Place) -> Data {
    let type = type?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Data(fields(String(decoding: data, as: UTF8.self)).utf8)
    }
    if let json = json(data, in: place) { return json }
    guard let text = String(validating: data, as: UTF8.self) else { return data }
    if type.hasPrefix("multipart/") { return Data(multipart(text, data, type: type).utf8) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return Data(lines.map { line($0, in: place) }.joined(separator: "\n").utf8)
  }

  /// A body without the secrets that are known by now.
  func maskedByValue(_ body: Data) -> Data {
    String(validating: body, as: UTF8.self).map { Data(maskedByValue($0).utf8) } ?? body
  }

  /// JSON; nil where the bytes are not that.
  private func json(_ data: Data, in place: SecretNames.Place) -> Data? {
    JSONMask.masked(data, hides: { self.names.contains($0, in: place) }) { name, value in
      switch value {
      case .string(let text): "\"\(self.placeholder(for: text))\""
      case .number: self.names.hidesNumbers(under: name) ? "0" : nil
      }
    }
  }

  /// A line of JSON, with what frames it in a stream of events (`data:`) or texts (RFC 7464).
  private func line(_ line: Substring, in place: SecretNames.Place) -> String {
    guard let start = line.firstIndex(where: { $0 == "{" || $0 == "[" }),
      let json = json(Data(line[start...].utf8), in: place)
    else { return "\(line)" }
    return line[..<start] + String(decoding: json, as: UTF8.self)
  }

  private func multipart(_ text: String, _ data: Data, type: String) -> String {
    let parts = StubPart.parts(of: data, contentType: type) ?? []
    return parts.reduce(text) { text, part in
      guard names.contains(part.name, in: .request), let data = part.data, !data.isEmpty else {
        return text
      }
      let value = String(decoding: data, as: UTF8.self)
      return text.replacing(
        "\r\n\r\n\(value)\r\n--", with: "\r\n\r\n\(placeholder(for: value))\r\n--")
    }
  }
}
