#if os(Linux)
  import Fixtures
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The framing of chunks (RFC 9112 §7.1)")
  struct ChunkFramingTests {
    private func isTaken(_ text: String, in pieces: Int) -> Bool {
      var framing = ChunkFraming()
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        let piece = bytes[start..<min(start + pieces, bytes.count)]
        guard piece.withUnsafeBytes({ framing.take($0) }) else { return false }
      }
      return true
    }

    @Test(
      "Valid chunks are accepted, however they are cut",
      arguments: [
        "5\r\nhello\r\n0\r\n\r\n", "0\r\n\r\n", "00005\r\nhello\r\n000\r\nX: y\r\n\r\n",
        "5;a=\"b\"\r\nhello\r\n0;x\r\n\r\n", "5 \t;a\r\nhello\r\n0 \r\n\r\n",
        "a\r\n0123456789\r\nA\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\n", "7fffffffffffffff\r\nhello",
        "ffffffffffffffff\r\nhello", "0\r\nwhat stands here is no chunk\r\n",
      ])
    func taken(text: String) {
      for pieces in 1...text.utf8.count { #expect(isTaken(text, in: pieces), "\(pieces)") }
    }

    @Test(
      "Invalid framing is refused",
      arguments: [
        "\r\n", "g\r\n", "5g\r\nhello\r\n", "5:a=b\r\nhello\r\n", "5\nhello\r\n", "5\r\rhello",
        "5\r\nhello\n0\r\n", "5\r\nhello0\r\n", "5\r\nhello\r\r", "5\r\nhello\r\n\r\n", "-5\r\n",
        " 5\r\n", "5 g\r\n", "5;a\nb\r\n", "5;\u{0}\r\n", "10000000000000000\r\n", ";\r\n",
      ])
    func refused(text: String) {
      for pieces in 1...text.utf8.count { #expect(!isTaken(text, in: pieces), "\(pieces)") }
    }

    @Test("The data before the first invalid byte are counted, however they are cut")
    func dataBytes() {
      let bytes = Array("5\r\nhello\r\n3;x\r\nyou\r\nz\r\n2\r\nno\r\n".utf8)
      for pieces in 1...bytes.count {
        var framing = ChunkFraming()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
          _ = bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { framing.take($0) }
        }
        #expect(framing.isMalformed)
        #expect(framing.dataBytes == 8, "\(pieces)")
      }
    }

    @Test("16 KiB of extensions, blanks and digits are accepted, and not one byte more")
    func bound() {
      let most = 16 << 10
      for (begin, filler, end, rest) in [
        ("5;", "x", "\r\nhello\r\n", 1), ("5", " ", "\r\nhello\r\n", 0), ("", "0", "\r\n", 0),
      ] {
        // The carriage return behind an extension counts as one of its bytes.
        let taken = begin + String(repeating: filler, count: most - rest)
        #expect(isTaken(taken + end, in: 999), "\(filler)")
        #expect(!isTaken(taken + filler + end, in: 999), "\(filler)")
      }
    }

    @Test("Endless extensions, blanks and zeros reach a limit")
    func bounded() {
      #expect(isTaken("5;" + String(repeating: "x", count: 16_000) + "\r\nhello\r\n", in: 999))
      #expect(!isTaken("5;" + String(repeating: "x", count: 17_000), in: 999))
      #expect(!isTaken("5" + String(repeating: " ", count: 17_000), in: 999))
      #expect(!isTaken(String(repeating: "0", count: 17_000), in: 999))
      let many = String(
        repeating: "1;" + String(repeating: "x", count: 98) + "\r\na\r\n", count: 200)
      #expect(!isTaken(many, in: 999))
    }
  }
#endif
