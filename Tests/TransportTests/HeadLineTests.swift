#if os(Linux)
  import Fixtures
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("A line of a head (RFC 9112 §4, §5)")
  struct HeadLineTests {
    private func line(_ text: String, isFirst: Bool = false) -> HeadLine {
      let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      return bytes.withUnsafeBytes { HeadLine($0, isFirst: isFirst) }
    }

    private func isMalformed(_ line: HeadLine) -> Bool {
      if case .malformed = line { true } else { false }
    }

    @Test(
      "A status line has a version and three digits",
      arguments: [
        ("HTTP/1.1 200 OK\r\n", 200, "HTTP/1.1"), ("HTTP/1.1 404\r\n", 404, "HTTP/1.1"),
        ("HTTP/1.0 599 \r\n", 599, "HTTP/1.0"), ("HTTP/2 200 \r\n", 200, "HTTP/2"),
        ("HTTP/3 204\n", 204, "HTTP/3"), ("HTTP/1.1   301 Gone\r\n", 301, "HTTP/1.1"),
      ])
    func status(text: String, code: Int, version: String) {
      #expect(line(text, isFirst: true) == .status(code, version: version))
    }

    @Test(
      "A line that is not a status line is malformed",
      arguments: [
        "", "\r\n", "200 OK\r\n", "http/1.1 200\r\n", "HTTP/K.1 200\r\n", "HTTP/1. 200\r\n",
        "HTTP/1.12 200\r\n", "HTTP/ 200\r\n", "HTTP/1.1 20\r\n", "HTTP/1.1 2000\r\n",
        "HTTP/1.1 200ose\r\n", "HTTP/1.1 200\tOK\r\n", "HTTP/1.1\t200 OK\r\n", "HTTP/1.1 099\r\n",
        "HTTP/1.1\r\n", "HTTP/1.1 \r\n", "HTTP/1.1 -20\r\n", " HTTP/1.1 200\r\n", "X: y\r\n",
        "HTTP/1.1 200 a\rb\r\n", "HTTP/1.1 200 \u{0}\r\n", "HTTP-1.1 200\r\n",
      ])
    func noStatus(text: String) {
      #expect(isMalformed(line(text, isFirst: true)))
    }

    @Test(
      "A field is a token, a colon and a value without the blanks around it",
      arguments: [
        ("X-A: b\r\n", "X-A", "b"), ("X-A:b\n", "X-A", "b"), ("X-A: \t b c\t \r\n", "X-A", "b c"),
        ("X-A:\r\n", "X-A", ""), ("a!#$%&'*+-.^_`|~9: :\r\n", "a!#$%&'*+-.^_`|~9", ":"),
        ("X: gr\u{FC}n\r\n", "X", "grün"), ("X: gr\u{C3}\u{BC}n\r\n", "X", "grün"),
        // The first byte that is not ASCII, and the last that is.
        ("X: a\u{80}b\r\n", "X", "a\u{80}b"), ("X: a\u{7F}b\r\n", "X", "a\u{7F}b"),
      ])
    func field(text: String, name: String, value: String) {
      #expect(line(text) == .field(name: name, value: value))
    }

    @Test(
      "A line that is not a field is malformed",
      arguments: [
        ": b\r\n", "X-A : b\r\n", "X A: b\r\n", "X(A): b\r\n", "X-A\r\n", "X-A: a\rb\r\n",
        "X-A: a\r\r\n", "X-A: \u{0}\r\n", "X\u{E4}: b\r\n", "X-A\u{1}: b\r\n",
      ])
    func noField(text: String) {
      #expect(isMalformed(line(text)))
    }

    @Test("A line that begins with a blank continues the field before, even if it is all blanks")
    func fold() {
      #expect(line("  a b \r\n") == .fold("a b"))
      #expect(line("\ta\n") == .fold("a"))
      #expect(line(" \t \r\n") == .fold(""))
      #expect(isMalformed(line(" a\rb\r\n")))
    }

    @Test("An empty line is the end", arguments: ["\r\n", "\n", ""])
    func end(text: String) {
      #expect(line(text) == .end)
    }
  }
#endif
