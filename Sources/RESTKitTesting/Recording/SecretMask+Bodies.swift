import Foundation
import RESTKit

extension SecretMask {
  /// Returns a body without the secrets that have names; a body that is not text stays unchanged.
  ///
  /// The number of lines stays the same. A body without a type may be a form, because some clients send forms
  /// without a type.
  func body(_ data: Data, type: String?, in place: RecordedNames.Place) -> Data {
    let type = type ?? ""
    let isForm =
      type.isEmpty
      ? Self.isForm(data)
      : type.lowercased().hasPrefix("application/x-www-form-urlencoded")
    if isForm { return Data(fields(String(decoding: data, as: UTF8.self)).utf8) }
    if let json = json(data, in: place) { return json }
    if type.lowercased().hasPrefix("multipart/") { return multipart(data, type: type) }
    guard String(validating: data, as: UTF8.self) != nil else { return data }
    let masked = events(Self.lines(data), in: place).map { line in
      line.isMasked ? line.text : self.line(line.text, in: place)
    }
    return Data(members(over: masked.joined(separator: "\n"), in: place).utf8)
  }

  /// Whether the bytes are `name=value&…`, with names that have no characters of other formats.
  private static func isForm(_ data: Data) -> Bool {
    guard let text = String(validating: data, as: UTF8.self), text.contains("=") else {
      return false
    }
    return text.split(separator: "&").allSatisfy { field in
      let name = field.prefix { $0 != "=" }
      return !name.isEmpty && !name.contains { $0.isWhitespace || #"<>{}"'?:/"#.contains($0) }
    }
  }

  /// Returns the lines of a text, split by bytes, because CR and LF are one character of a text.
  private static func lines(_ data: Data) -> [String] {
    data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the lines of a stream of events; JSON in several `data:` lines of one event is masked.
  private func events(
    _ lines: [String], in place: RecordedNames.Place
  ) -> [(text: String, isMasked: Bool)] {
    var result = lines.map { (text: $0, isMasked: false) }
    var dataLines: [Int] = []
    for (index, line) in (lines + [""]).enumerated() {
      if line.hasPrefix("data:") { dataLines.append(index) }
      guard line.isEmpty || line == "\r" else { continue }
      defer { dataLines = [] }
      let texts = dataLines.map { lines[$0].dropFirst("data:".count) }
      guard texts.count > 1,
        let json = json(Data(texts.joined(separator: "\n").utf8), in: place)
      else { continue }
      for (index, text) in zip(dataLines, Self.lines(json)) {
        result[index] = ("data:" + text, true)
      }
    }
    return result
  }

  /// Returns a body without the secrets that are known so far.
  func maskedByValue(_ body: Data) -> Data {
    String(validating: body, as: UTF8.self).map { Data(maskedByValue($0).utf8) }
      ?? bytesMaskedByValue(body)
  }

  /// Returns masked JSON, or nil if the bytes are not JSON.
  private func json(_ data: Data, in place: RecordedNames.Place) -> Data? {
    let masked = JSONMask.masked(data, hides: { self.names.contains($0, in: place) }) {
      name, value in
      switch value {
      case .string(let text): "\"\(self.placeholder(for: text))\""
      case .number: self.names.hidesNumbers(under: name) ? "0" : nil
      }
    }
    // A URL under a name that is not secret may have secrets in its query.
    return masked.flatMap { masked in
      JSONMask.masked(masked, hides: { _ in true }) { _, value in
        guard case .string(let text) = value else { return nil }
        return self.urlInJSON(text)
      }
    }
  }

  /// Returns a masked URL as JSON; nil for a URL without secrets, and for a text that is not a URL.
  private func urlInJSON(_ text: String) -> String? {
    guard text.hasPrefix("/") || text.contains("://"), !text.contains(where: \.isWhitespace) else {
      return nil
    }
    let url = url(text)
    guard url != text else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(url)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a masked line of JSON; it may have the framing of an event (`data:`) or a JSON text (RFC
  /// 7464).
  private func line(_ line: String, in place: RecordedNames.Place) -> String {
    guard let start = line.firstIndex(where: { $0 == "{" || $0 == "[" }),
      let json = json(Data(line[start...].utf8), in: place)
    else { return members(of: line, in: place) }
    return line[..<start] + String(decoding: json, as: UTF8.self)
  }

  /// Returns a part of a JSON text, such as a cut body, with the strings under names of secrets masked.
  private func members(of text: String, in place: RecordedNames.Place) -> String {
    let member = /"((?:[^"\\]|\\.)*)"([ \t]*:[ \t]*)"((?:[^"\\]|\\.)*)/
    return text.replacing(member) { match -> String in
      let (whole, name, colon, value) = match.output
      guard names.contains(Self.unescaped(name), in: place) else { return String(whole) }
      return "\"\(name)\"\(colon)\"\(placeholder(for: Self.unescaped(value)))"
    }
  }

  /// Returns a text with the strings masked that are on a later line than the name of the secret.
  ///
  /// The lines may be those of an event.
  private func members(over text: String, in place: RecordedNames.Place) -> String {
    let member =
      /"((?:[^"\\\r\n]|\\.)*)"((?:[ \t\r\n]|data:)*:(?:[ \t\r\n]|data:)*)"((?:[^"\\\r\n]|\\.)*)/
      .matchingSemantics(.unicodeScalar)
    return text.replacing(member) { match -> String in
      let (whole, name, colon, value) = match.output
      // Strings on the line of their names are already masked.
      guard colon.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }),
        names.contains(Self.unescaped(name), in: place)
      else { return String(whole) }
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
