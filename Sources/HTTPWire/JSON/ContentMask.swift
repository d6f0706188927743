import Foundation

/// A body, a URL or another text with the values hidden that its names call secrets.
///
/// It looks inside: into the parts of a multipart body, into JSON in a string, into forms, queries
/// and URLs in a value, into markup, and into texts with `name=value`. What it cannot read stays
/// unchanged.
package struct ContentMask {
  /// The form of the text around a secret.
  package enum Place {
    /// A URL or a form, where many characters need an escape.
    case fields
    /// Any other text.
    case text
  }

  let meaning: (String) -> SecretNames.Meaning
  let hidesNumbers: (String) -> Bool
  let replacement: (_ secret: String, _ name: String, Place) -> String

  /// The number of texts inside of one another that are read.
  private static let maximumDepth = 4

  /// - Parameters:
  ///   - meaning: What a name says about its value.
  ///   - hidesNumbers: Whether a number of that name is hidden, too.
  ///   - replacement: Returns the replacement for a secret, which it gets without escapes, and with
  ///     its name.
  package init(
    meaning: @escaping (String) -> SecretNames.Meaning,
    hidesNumbers: @escaping (String) -> Bool,
    replacement: @escaping (_ secret: String, _ name: String, Place) -> String
  ) {
    self.meaning = meaning
    self.hidesNumbers = hidesNumbers
    self.replacement = replacement
  }

  func isSecret(_ name: String) -> Bool { meaning(name) != .plain }

  // MARK: Bodies

  /// Returns a body without the values of secrets.
  ///
  /// - Parameter type: The `Content-Type`. A body without one may be a form, because some clients
  ///   send forms so.
  package func body(_ data: Data, type: String?) -> Data { body(data, type: type, depth: 0) }

  func body(_ data: Data, type: String?, depth: Int) -> Data {
    let type = type?.lowercased() ?? ""
    if type.hasPrefix("multipart/") { return multipart(data, depth: depth) }
    guard let text = String(validating: data, as: UTF8.self) else { return data }
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Data(urlMask(depth: depth).fields(text).utf8)
    }
    if let json = json(data, depth: depth) { return json }
    let isForm = (type.isEmpty || type.hasPrefix("text/plain")) && URLMask.isForm(text)
    return Data((isForm ? urlMask(depth: depth).fields(text) : lines(text, depth: depth)).utf8)
  }

  /// Returns masked JSON, or nil if the bytes are not JSON.
  package func json(_ data: Data) -> Data? { json(data, depth: 0) }

  private func json(_ data: Data, depth: Int) -> Data? {
    JSONMask.masked(
      data,
      by: JSONMask.Rules(
        meaning: meaning,
        secret: { name, value in
          switch value {
          case .string(let text): JSONMask.quoted(replacement(text, name, .text))
          case .number: hidesNumbers(name) ? "0" : nil
          }
        },
        plain: { text in
          let inner = inside(text, depth: depth + 1)
          return inner == text ? nil : inner
        }))
  }

  /// Returns a text without the values of secrets, whatever form it has.
  package func text(_ text: String) -> String { inside(text, depth: 0) }

  func inside(_ text: String, depth: Int) -> String {
    guard depth < Self.maximumDepth, let first = text.utf8.first(where: { $0 > 0x20 }),
      text.utf8.contains(where: Self.isSign)
    else { return text }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let json = json(Data(text.utf8), depth: depth)
    {
      return String(decoding: json, as: UTF8.self)
    }
    if URLMask.isURL(text) { return urlMask(depth: depth).url(text) }
    if URLMask.isForm(text) { return urlMask(depth: depth).fields(text) }
    return lines(text, depth: depth)
  }

  /// Whether a text without such a byte has no name of a value.
  private static func isSign(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: "@")].contains(byte)
  }

  // MARK: URLs and forms

  /// Returns a URL without user info, and without secrets in its query and fragment.
  package func url(_ text: String) -> String { urlMask(depth: 0).url(text) }

  /// Returns `name=value&…` without the values of secrets.
  package func fields(_ text: String) -> String { urlMask(depth: 0).fields(text) }

  private func urlMask(depth: Int) -> URLMask {
    URLMask(
      isSecret: isSecret, replacement: { replacement($0, $1, .fields) },
      inside: { inside($0, depth: depth + 1) })
  }

  // MARK: Texts

  /// Returns a text, whose lines may be JSON or events, without the values of secrets.
  private func lines(_ text: String, depth: Int) -> String {
    let lines = MaskedEvents(text, json: { json(Data($0.utf8), depth: depth) }).lines
    var shown: [String] = []
    var open: [String] = []
    // What is no JSON on one line may go on to the next one.
    func close() {
      guard !open.isEmpty else { return }
      shown.append(TextMask(open.joined(separator: "\n"), mask: self, depth: depth).masked())
      open = []
    }
    for line in lines {
      if line.isMasked {
        close()
        shown.append(line.text)
      } else {
        open.append(line.text)
      }
    }
    close()
    return shown.joined(separator: "\n")
  }

  // MARK: Parts

  private func multipart(_ data: Data, depth: Int) -> Data {
    guard depth < Self.maximumDepth else { return data }
    return MultipartMask.masked(data) { head, content in
      if let name = head.name, isSecret(name) {
        let text = String(decoding: content, as: UTF8.self)
        return content.isEmpty ? nil : Data(replacement(text, name, .text).utf8)
      }
      let masked = body(content, type: head.type ?? "text/plain", depth: depth + 1)
      return masked == content ? nil : masked
    }
  }
}

/// The lines of a text, those without secrets that are JSON.
///
/// JSON may have the framing of an event (`data:`), also in several lines of one event, or of a
/// JSON text (RFC 7464). The number of lines stays the same.
private struct MaskedEvents {
  private(set) var lines: [(text: String, isMasked: Bool)]

  init(_ text: String, json: (String) -> Data?) {
    // By bytes, because CR and LF are one character of a text.
    lines = Self.split(Data(text.utf8)).map { ($0, false) }
    var dataLines: [Int] = []
    for index in 0...lines.count {
      let line = index < lines.count ? lines[index].text : ""
      if line.hasPrefix("data:") { dataLines.append(index) }
      guard line.isEmpty || line == "\r" else { continue }
      defer { dataLines = [] }
      guard dataLines.count > 1 else { continue }
      let texts = dataLines.map { lines[$0].text.dropFirst("data:".count) }
      guard let masked = json(texts.joined(separator: "\n")) else { continue }
      for (index, text) in zip(dataLines, Self.split(masked)) {
        lines[index] = ("data:" + text, true)
      }
    }
    for (index, line) in lines.enumerated() where !line.isMasked {
      guard let start = line.text.firstIndex(where: { $0 == "{" || $0 == "[" }),
        Self.framings.contains(line.text[..<start].trimmingCharacters(in: .whitespaces)),
        let masked = json(String(line.text[start...]))
      else { continue }
      lines[index] = (line.text[..<start] + String(decoding: masked, as: UTF8.self), true)
    }
  }

  private static let framings: Set = ["", "data:", "\u{1E}"]

  private static func split(_ data: Data) -> [String] {
    data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

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
      return Data(fields(String(decoding: data, as: UTF8.self)).utf8)
    }
    let mask = mask
    // Of another text than JSON, only names can tell what may be shown. Text that claims to be JSON
    // may be a cut one.
    if self == .strict || type.contains("json") { return mask.json(data) }
    return mask.body(data, type: contentType)
  }

  /// The text without the values that its names call secrets.
  package func text(inside text: String) -> String { self == .none ? text : mask.text(text) }

  private var mask: ContentMask {
    let names = names
    return ContentMask(
      meaning: { names?.meaning(of: $0) ?? .secret }, hidesNumbers: { _ in true },
      replacement: { _, _, place in place == .fields ? Self.markInURL : Self.mark })
  }
}
