#if os(Linux)
  import Fixtures
  import Foundation
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("SEC-17: response heads", .timeLimit(.minutes(10)))
  struct HeaderFuzzTests {
    private static let pieces = [
      "X-A", "X-A: v", "x-a: w", "Set-Cookie: a", "Set-Cookie", "Content-Length", ":", ":", ": ",
      " ", "\t", "v", "w", ",", "=",
      "é", "\u{FC}", "\0", "\u{1B}", "1", "99999999999999999999", "HTTP/1.1 ", "HTTP/1.1 200 OK",
      "\"", ";", "gzip", "Content-Encoding: gzip", "Location: /x",
    ]

    /// A head as libcurl hands it over, line by line, and its lines without their ends.
    private func lines(_ generator: inout SeededGenerator) -> [[UInt8]] {
      (0..<generator.number(0...12)).map { _ in
        var line = Array(generator.text(of: Self.pieces, 1...5).utf8)
        if generator.number(0...3) == 0 { line.insert(0x20, at: 0) }
        if generator.number(0...7) == 0 {
          line.append(UInt8.random(in: 128...255, using: &generator))
        }
        return line
      }
    }

    /// The fields of a head by RFC 9112 §5, the plain way; nil where the head is refused.
    private func reference(_ lines: [[UInt8]]) -> [(name: String, value: String)]? {
      func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
          ?? bytes.map { String(Unicode.Scalar($0)) }.joined()
      }
      func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
      }
      var fields: [(name: String, value: String)] = []
      for line in lines {
        guard !line.contains(0), !line.contains(0x0D) else { return nil }
        if line.first == 0x20 || line.first == 0x09 {
          guard let last = fields.last, last.name.lowercased() != "content-length" else {
            return nil
          }
          let more = text(trimmed(line[...]))
          let blank = last.value.isEmpty || more.isEmpty ? "" : " "
          fields[fields.count - 1].value = last.value + blank + more
        } else {
          guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
          let name = text(line[..<colon])
          let marks = "!#$%&'*+-.^_`|~"
          let isToken = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
              && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || marks.unicodeScalars.contains(scalar))
          }
          guard !name.isEmpty, isToken else { return nil }
          fields.append((name, text(trimmed(line[(colon + 1)...]))))
        }
      }
      return fields
    }

    @Test(
      "Each head has the fields that a plain parser reads, or is refused", arguments: Fuzz.seeds)
    func heads(seed: UInt64) throws {
      Fuzz.run(seed, cases: 3_000) { generator, drawn in
        let lines = lines(&generator).filter { !$0.isEmpty }
        var reader = CurlResponseReader(TransportLimits())
        let isTaken = (["HTTP/1.1 200 OK"].map { Array($0.utf8) } + lines).allSatisfy { line in
          (line + [0x0D, 0x0A]).withUnsafeBytes { reader.take(header: $0) }
        }
        guard let expected = reference(lines) else {
          if isTaken { drawn.fail("\(lines) was taken") }
          return
        }
        guard isTaken else { return drawn.fail("\(lines) was refused") }
        let headers = reader.response(timings: ExchangeMetrics()).headers
        let isSame =
          headers.count == expected.count
          && zip(headers, expected).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        guard isSame else { return drawn.fail("\(lines) has other fields: \(Array(headers))") }
      }
    }

    @Test("Each head costs no more than the limits allow", arguments: Fuzz.seeds)
    func limits(seed: UInt64) {
      Fuzz.run(seed, cases: 1_000) { generator, drawn in
        var limits = TransportLimits()
        limits.headerCount = generator.number(1...10)
        limits.headerBytes = generator.number(1...300)
        var reader = CurlResponseReader(limits)
        var taken = (lines: 0, bytes: 0)
        for line in [Array("HTTP/1.1 200 OK".utf8)] + lines(&generator) {
          let whole = line + [0x0D, 0x0A]
          guard whole.withUnsafeBytes({ reader.take(header: $0) }) else { break }
          taken.lines += 1
          taken.bytes += whole.count
        }
        let isOver = taken.bytes > limits.headerBytes
        guard !isOver else { return drawn.fail("more than the limit was taken") }
      }
    }

    @Test("A list of fields behaves like a plain array", arguments: Fuzz.seeds)
    func list(seed: UInt64) {
      let names = ["A", "a", "B", "b", "Set-Cookie", "set-cookie", "Ä", ""]
      Fuzz.run(seed, cases: 2_000) { generator, drawn in
        var headers = HTTPHeaders()
        var plain: [(name: String, value: String)] = []
        for step in 0..<generator.number(1...8) {
          let name = generator.one(of: names)
          let key = name == "Ä" ? name : name.lowercased()
          func isIt(_ field: (name: String, value: String)) -> Bool {
            (field.name == "Ä" ? field.name : field.name.lowercased()) == key
          }
          switch generator.number(0...3) {
          case 0, 1:
            headers.append(name: name, value: "\(step)")
            plain.append((name, "\(step)"))
          case 2:
            headers[name] = nil
            plain.removeAll(where: isIt)
          default:
            headers[name] = "\(step)"
            if let place = plain.firstIndex(where: isIt) {
              plain[place] = (name, "\(step)")
              plain = plain.enumerated().filter { $0 <= place || !isIt($1) }.map(\.element)
            } else {
              plain.append((name, "\(step)"))
            }
          }
          let values = plain.filter(isIt).map(\.value)
          let joined = key == "set-cookie" ? values.first : values.joined(separator: ", ")
          guard headers.values(for: name) == values,
            headers[name] == (values.isEmpty ? nil : joined),
            headers.map(\.name) == plain.map(\.name), headers.map(\.value) == plain.map(\.value)
          else { return drawn.fail("\(Array(headers)) is not \(plain)") }
        }
      }
    }
  }
#endif
