import RESTKit

extension String {
  /// This text as one word of a POSIX shell, which passes on exactly these characters.
  ///
  /// Plain words stay unchanged. Control characters are written as calls of `printf`, so that the text can be
  /// pasted into a terminal and shown there safely. NUL is left out, since no argument can contain it.
  var shellWord: String {
    let isPlain = !isEmpty && utf8.allSatisfy { $0.isUnreserved || "/:@%+,=".utf8.contains($0) }
    guard !isPlain else { return self }
    var word = "'"
    for scalar in unicodeScalars {
      switch scalar {
      case "'": word += #"'\''"#
      case "\0": continue
      case "\n", "\t": word.unicodeScalars.append(scalar)
      // The shell only drops line feeds at the end of a command's output.
      case _ where scalar.properties.generalCategory == .control:
        word += #"'"$(printf '\#(scalar.octalEscapes)')"'"#
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }
}

extension Unicode.Scalar {
  /// The bytes of the scalar in UTF-8 as octal escapes, such as `\033`.
  fileprivate var octalEscapes: String {
    UTF8.encode(self).map { bytes in
      bytes.map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }.joined()
    } ?? ""
  }
}
