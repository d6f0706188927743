/// Texts as errors, logs and reports show them.
extension String {
  /// This text on one line, without characters that could forge another line, command a terminal or
  /// reorder the text around them: these are written as escapes such as `\u{202E}`.
  package var printable: String {
    // Nearly all texts are ASCII without control characters.
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isPrintable {
        text.unicodeScalars.append(scalar)
      } else {
        text += scalar.escaped(asASCII: true)
      }
    }
  }

  /// This JSON with escapes such as `\u202E` in place of what ``printable`` escapes: it is only in
  /// strings, and means the same there.
  package var printableJSON: String {
    guard utf8.contains(where: { $0 >= 0x7F }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.value >= 0x7F, !scalar.isPrintable {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character only shows itself: it is neither a control character, nor the end of a
  /// line or paragraph, nor one that reorders the text around it.
  package var isPrintable: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: false
    // Unicode Standard Annex 9, section 2.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
