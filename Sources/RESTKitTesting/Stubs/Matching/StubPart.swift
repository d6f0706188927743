import Foundation
import RESTKit

/// A part of a `multipart/form-data` body (RFC 7578) that a stub expects.
///
/// A nil property matches any value. Names are compared as browsers write them: `"` as `%22`, line
/// breaks as `%0D` and `%0A`.
public struct StubPart: Sendable {
  /// The name of the form's field.
  public var name: String
  /// The file name.
  public var filename: String?
  /// The media type, as sent.
  public var contentType: String?
  /// The content.
  public var data: Data?

  public init(
    name: String, filename: String? = nil, contentType: String? = nil, data: Data? = nil
  ) {
    self.name = name
    self.filename = filename
    self.contentType = contentType
    self.data = data
  }

  /// Creates a text field.
  public init(name: String, value: String) {
    self.init(name: name, data: Data(value.utf8))
  }

  /// Returns the differences to other parts, one by one.
  static func differences(of parts: [StubPart], to sent: [StubPart]) -> [StubDifference] {
    let unequal = zip(parts, sent).enumerated().flatMap { index, pair in
      pair.0.differences(to: pair.1, at: "part \(index)")
    }
    guard parts.count != sent.count else { return unequal }
    return [StubDifference("parts", expected: "\(parts.count)", sent: "\(sent.count)")] + unequal
  }

  /// Returns the differences to the nearest of other parts; empty if one of them is like this one.
  func differences(toNearestOf sent: [StubPart]) -> [StubDifference] {
    let nearest = sent.filter { $0.name == name.escapedForMultipart }
      .map { differences(to: $0, at: "part") }
      .min { $0.count < $1.count }
    let names = sent.map(\.name).joined(separator: ", ")
    return nearest
      ?? [StubDifference("part", expected: name, sent: sent.isEmpty ? nil : names)]
  }

  private func differences(to sent: StubPart, at place: String) -> [StubDifference] {
    func difference(_ what: String, _ expected: String?, _ other: String?) -> [StubDifference] {
      expected.map { other?.isExactly($0) == true } ?? true
        ? [] : [StubDifference("\(place) \(what)", expected: expected, sent: other)]
    }
    var content: [StubDifference] = []
    if let data, let other = sent.data, data != other {
      content = [StubDifference("\(place) \(name)", data: data, sent: other)]
    }
    return difference("name", name.escapedForMultipart, sent.name)
      + difference("filename", filename?.escapedForMultipart, sent.filename)
      + difference("Content-Type", contentType, sent.contentType) + content
  }

  /// Returns the parts of a body, or nil if the body is not multipart.
  static func parts(of body: Data, contentType: String) -> [StubPart]? {
    guard let boundary = parameter("boundary", of: contentType) else { return nil }
    let delimiter = Data("\r\n--\(boundary)".utf8)
    // The first delimiter is at the beginning, without the line break that the others have.
    var rest = Data("\r\n".utf8) + body
    guard let first = rest.range(of: delimiter) else { return nil }
    rest = rest[first.upperBound...]
    var parts: [StubPart] = []
    while !rest.starts(with: "--".utf8) {
      guard let end = rest.range(of: delimiter), let part = StubPart(rest[..<end.lowerBound]) else {
        return nil
      }
      parts.append(part)
      rest = rest[end.upperBound...]
    }
    return parts
  }

  private init?(_ bytes: Data) {
    let blankLine = Data("\r\n\r\n".utf8)
    guard let head = bytes.range(of: blankLine) else { return nil }
    let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let fields = lines.compactMap { line -> (String, String)? in
      let sides = line.split(separator: ":", maxSplits: 1)
      return sides.count == 2
        ? (sides[0].lowercased(), sides[1].trimmingCharacters(in: .whitespaces)) : nil
    }
    guard let disposition = fields.first(where: { $0.0 == "content-disposition" })?.1,
      let name = Self.parameter("name", of: disposition)
    else { return nil }
    self.init(
      name: name, filename: Self.parameter("filename", of: disposition),
      contentType: fields.first { $0.0 == "content-type" }?.1,
      data: Data(bytes[head.upperBound...]))
  }

  /// Returns the value of a parameter without quotation marks.
  ///
  /// A quoted value may contain a semicolon.
  static func parameter(_ name: String, of value: String) -> String? {
    let parameter = /;[ \t]*([^ \t=;]+)=(?:"([^"]*)"|([^;]*))/.matchingSemantics(.unicodeScalar)
    return value.matches(of: parameter)
      .first { $0.1.lowercased() == name }
      .map { $0.2.map(String.init) ?? ($0.3 ?? "").trimmingCharacters(in: .whitespaces) }
  }
}

extension StubDifference {
  /// Creates a difference between two contents: as texts, or by their lengths and the first
  /// different byte.
  init(_ part: String, data: Data, sent: Data) {
    if !data.isEmpty, !sent.isEmpty, let text = String(validating: data, as: UTF8.self),
      let other = String(validating: sent, as: UTF8.self)
    {
      self.init(part, expected: text, sent: other)
      return
    }
    let place = zip(data, sent).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let first = place ?? min(data.count, sent.count)
    self.init(
      part, expected: "\(data.count) bytes",
      sent: "\(sent.count) bytes, other ones from byte \(first) on",
      isText: false)
  }
}
