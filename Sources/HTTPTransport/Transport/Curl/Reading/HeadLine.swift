#if os(Linux)
  import HTTPWire

  /// One line of a head or of the trailers, according to RFC 9112.
  ///
  /// libcurl reads status lines and fields less strictly, and derives its framing from them. A line
  /// that two readers could read differently is malformed here.
  enum HeadLine: Equatable {
    case status(Int, version: String)
    case field(name: String, value: String)
    /// The continuation of the previous field (§5.2).
    case fold(String)
    /// The end of the head or of the trailers.
    case end
    /// An invalid line, with the reason.
    case malformed(String)

    /// - Parameters:
    ///   - line: The line with its break, which may be a single line feed (§2.2).
    ///   - isFirst: Whether the line must be a status line.
    init(_ line: UnsafeRawBufferPointer, isFirst: Bool) {
      let line = Self.withoutBreak(line)
      guard let first = line.first else {
        self = isFirst ? .malformed("its head has no status line") : .end
        return
      }
      guard !line.contains(where: { $0 == 0x0D || $0 == 0x00 }) else {
        self = .malformed("a line of its head has a carriage return or a NUL in it")
        return
      }
      if isFirst {
        self = Self.status(in: line)
      } else if first.isBlank {
        self = .fold(Self.text(Self.trimmed(line[...])))
      } else {
        self = Self.field(in: line)
      }
    }

    /// Reads `HTTP/1.1 200 OK` (§4), or libcurl's form `HTTP/2 200`.
    ///
    /// Only a blank may follow the code, and more than one blank may precede it.
    private static func status(in line: UnsafeRawBufferPointer) -> HeadLine {
      let version = line.prefix { $0 != 0x20 }
      guard isVersion(version) else { return .malformed("it does not begin with an HTTP version") }
      let rest = line[version.endIndex...].drop { $0 == 0x20 }
      let digits = rest.prefix { $0.isASCIIDigit }
      let behind = rest.dropFirst(3).first ?? 0x20
      guard digits.count == 3, behind == 0x20 else {
        return .malformed("its status does not have three digits")
      }
      let status = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
      guard status >= 100 else { return .malformed("its status is below 100") }
      return .status(status, version: text(version))
    }

    private static func isVersion(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
      guard bytes.starts(with: "HTTP/".utf8) else { return false }
      let number = bytes.dropFirst(5)
      guard let major = number.first, major.isASCIIDigit else { return false }
      let minor = number.dropFirst(2)
      return number.count == 1
        || number.count == 3 && number.dropFirst().first == UInt8(ascii: ".")
          && minor.allSatisfy(\.isASCIIDigit)
    }

    /// Reads a name that is a token, directly followed by the colon (§5.1).
    private static func field(in line: UnsafeRawBufferPointer) -> HeadLine {
      let name = line.prefix { RequestValidation.isTokenByte($0) }
      guard !name.isEmpty, name.endIndex < line.endIndex,
        line[name.endIndex] == UInt8(ascii: ":")
      else { return .malformed("a line of its head has no field name before a colon") }
      return .field(name: text(name), value: text(trimmed(line[(name.endIndex + 1)...])))
    }

    private static func withoutBreak(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      var count = line.count
      if count > 0, line[count - 1] == 0x0A { count -= 1 }
      if count > 0, line[count - 1] == 0x0D { count -= 1 }
      return UnsafeRawBufferPointer(rebasing: line[..<count])
    }

    private static func trimmed(
      _ bytes: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
      var bytes = bytes.drop(while: \.isBlank)
      while let last = bytes.last, last.isBlank { bytes.removeLast() }
      return bytes
    }

    /// Decodes UTF-8 if it is valid, otherwise ISO 8859-1, as older headers use (RFC 9110 §5.5).
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
      let bytes = UnsafeRawBufferPointer(rebasing: bytes)
      // Nearly all texts are ASCII, and validation takes three times as long as this check.
      if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
#endif
