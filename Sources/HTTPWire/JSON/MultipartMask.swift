import Foundation

/// A multipart body (RFC 2046 §5.1) with the content of some parts replaced.
package enum MultipartMask {
  /// What the fields of a part say about its content.
  package struct Head {
    /// The name of a form's field (RFC 7578 §4.2).
    package var name: String?
    package var type: String?
  }

  /// Returns a body with the same delimiters and heads.
  ///
  /// The first line is the delimiter, so the boundary needs no `Content-Type`. A body without one,
  /// or with a preamble, has no parts that can be told, and is left out.
  ///
  /// - Parameter replacement: Returns the new content of a part, or nil to keep it.
  package static func masked(_ body: Data, replacement: (Head, Data) -> Data?) -> Data {
    let bytes = Data(body)
    guard bytes.starts(with: "--".utf8), let end = bytes.firstRange(of: lineBreak) else {
      return Data(Redaction.mark.utf8)
    }
    let delimiter = lineBreak + bytes[..<end.lowerBound]
    var shown = Data()
    var rest = bytes[...]
    while let blank = rest.firstRange(of: lineBreak + lineBreak) {
      let head = rest[..<blank.lowerBound]
      let tail = rest[blank.upperBound...]
      let content = tail[..<(tail.firstRange(of: delimiter)?.lowerBound ?? tail.endIndex)]
      shown += rest[..<blank.upperBound]
      shown += replacement(Self.head(head), Data(content)) ?? content
      rest = tail[content.endIndex...]
      // The last delimiter has no part behind it.
      if rest.dropFirst(delimiter.count).starts(with: "--".utf8) { break }
    }
    // Without a part, as where lines end with LF alone, nothing was read.
    return shown.isEmpty ? Data(Redaction.mark.utf8) : shown + rest
  }

  private static let lineBreak = Data("\r\n".utf8)

  private static func head(_ bytes: Data) -> Head {
    var head = Head()
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      switch line[..<colon].lowercased() {
      case "content-type": head.type = String(value)
      case "content-disposition":
        let parameters = value.split(separator: ";").map { $0.drop { $0 == " " } }
        head.name = parameters.first { $0.lowercased().hasPrefix("name=") }.map {
          $0.dropFirst("name=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        }
      default: break
      }
    }
    return head
  }
}
