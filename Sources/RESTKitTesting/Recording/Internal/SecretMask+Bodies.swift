import Foundation
import RESTKit

extension SecretMask {
  /// Returns a body without the secrets that have names; a body that is not text stays unchanged.
  ///
  /// The number of lines stays the same.
  func body(_ data: Data, type: String?, in place: SecretNames.Place) -> Data {
    let type = type ?? ""
    if type.lowercased().hasPrefix("application/x-www-form-urlencoded") {
      return Data(fields(String(decoding: data, as: UTF8.self)).utf8)
    }
    if let json = json(data, in: place) { return json }
    if type.lowercased().hasPrefix("multipart/") { return multipart(data, type: type) }
    guard String(validating: data, as: UTF8.self) != nil else { return data }
    // By bytes, because CR and LF are one character of a text.
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let masked = lines.map { line(String(decoding: $0, as: UTF8.self), in: place) }
    return Data(masked.joined(separator: "\n").utf8)
  }

  /// Returns a body without the secrets that are known so far.
  func maskedByValue(_ body: Data) -> Data {
    String(validating: body, as: UTF8.self).map { Data(maskedByValue($0).utf8) }
      ?? bytesMaskedByValue(body)
  }

  /// Returns masked JSON, or nil if the bytes are not JSON.
  private func json(_ data: Data, in place: SecretNames.Place) -> Data? {
    JSONMask.masked(data, hides: { self.names.contains($0, in: place) }) { name, value in
      switch value {
      case .string(let text): "\"\(self.placeholder(for: text))\""
      case .number: self.names.hidesNumbers(under: name) ? "0" : nil
      }
    }
  }

  /// Returns a masked line of JSON; it may have the framing of an event (`data:`) or a JSON text (RFC
  /// 7464).
  private func line(_ line: String, in place: SecretNames.Place) -> String {
    guard let start = line.firstIndex(where: { $0 == "{" || $0 == "[" }),
      let json = json(Data(line[start...].utf8), in: place)
    else { return members(of: line, in: place) }
    return line[..<start] + String(decoding: json, as: UTF8.self)
  }

  /// Returns a part of a JSON text, such as a cut body, with the strings under names of secrets masked.
  private func members(of text: String, in place: SecretNames.Place) -> String {
    let member = /"((?:[^"\\]|\\.)*)"([ \t]*:[ \t]*)"((?:[^"\\]|\\.)*)/
    return text.replacing(member) { match -> String in
      let (whole, name, colon, value) = match.output
      guard names.contains(Self.unescaped(name), in: place) else { return String(whole) }
      return "\"\(name)\"\(colon)\"\(placeholder(for: Self.unescaped(value)))"
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    (try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))) ?? String(text)
  }

  private func multipart(_ data: Data, type: String) -> Data {
    let parts = StubPart.parts(of: data, contentType: type) ?? []
    return parts.reduce(data) { data, part in
      guard names.contains(part.name, in: .request), let content = part.data, !content.isEmpty
      else { return data }
      let secret = String(decoding: content, as: UTF8.self)
      return data.replacing(
        Data("\r\n\r\n".utf8) + content + Data("\r\n--".utf8),
        with: Data("\r\n\r\n\(placeholder(for: secret))\r\n--".utf8))
    }
  }
}
