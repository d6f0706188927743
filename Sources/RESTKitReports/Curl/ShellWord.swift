import RESTKit

extension String {
  /// This text as one word of a POSIX shell: the shell passes on just these characters.
  ///
  /// Plain words stay as they are. Control characters are written as `printf` makes them, so that the
  /// text can be pasted into a terminal, and looked at in one. A NUL, which no argument can hold, is
  /// left out.
  var shellWord: String {
    let isPlain = !isEmpty && utf8.allSatisfy { $0.isUnreserved || "/:@%+,=".utf8.contains($0) }
    guard !isPlain else { return self }
    var word = "'"
    for scalar in unicodeScalars {
      switch scalar {
      case "'": word += #"'\''"#
      case "\0": continue
      case "\n", "\t": word.unicodeScalars.append(scalar)
      // The shell drops line feeds at the end of what a command prints, and nothing else.
      case _ where scalar.properties.generalCategory == .control:
        word += #"'"$(printf '\#(scalar.octalEscapes)')"'"#
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }
}

extension Unicode.Scalar {
  /// The bytes of its UTF-8, such as `\033`.
  fileprivate var octalEscapes: String {
    UTF8.encode(self).map { bytes in
      bytes.map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }.joined()
    } ?? ""
  }
}
