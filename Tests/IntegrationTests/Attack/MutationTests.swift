import Foundation
import RESTKit
import StreamsTesting
import Testing

extension IntegrationTests.Attack {
  @Suite("Responses with a few changed bytes")
  struct Mutations {
    private static let pieces = [
      "\r\n", "\n", "\r", " ", "\t", ":", ";", ",", "\0", "\u{FF}", "HTTP/1.1 ", "HTTP/1.0 ", "200",
      "100", "101", "204", "304", "Content-Length: 5\r\n", "Content-Length: ",
      "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n",
      "Transfer-Encoding:",
      "Content-Encoding: gzip\r\n", "chunked", "identity", "0", "5", "b\r\n", "0\r\n\r\n", "-1",
      "+",
      "0x", "ffffffff", "9223372036854775807", "hello", "\r\n\r\n",
    ]

    private static func variable(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// The seed of `FUZZ_SEED`, or two seeds.
    static let seeds: [UInt64] = variable("FUZZ_SEED").map { [UInt64($0)] } ?? [1, 2]

    /// Foundation is left out: a head without its end, a trailer and some lengths end the process.
    @Test(
      "SEC-17: a success matches RFC 9112, and any other result is a typed error in time",
      arguments: seeds)
    func mutated(seed: UInt64) async throws {
      let answers = CutResponse.all.filter { $0.method == .get }.map(\.bytes)
      let only = Self.variable("FUZZ_CASE")
      let cases = only.map { $0..<($0 + 1) } ?? 0..<(Self.variable("FUZZ_CASES") ?? 600)
      let drawn: @Sendable (Int) -> (bytes: [UInt8], ending: CutResponse.Ending) = { number in
        var generator = SeededGenerator(seed: seed << 32 | UInt64(number))
        let answer = answers.randomElement(using: &generator) ?? []
        return (Self.mutated(answer, &generator), number % 5 == 0 ? .reset : .closed)
      }
      let peer = try RawPeer { visit in
        let (bytes, ending) = drawn(Int(visit.target.split(separator: "/").last ?? "") ?? 0)
        return [.send(bytes)] + (ending == .reset ? [.reset] : [])
      }
      defer { peer.stop() }
      var wrong: [String] = []
      for number in cases {
        // Each on its own: libcurl 7.83 to 8.0 is not to be trusted with a second folded line.
        let api = PeerAPI(
          peer.address, try TransportKind.default.makeTransport(), redirects: .never)
        let outcome = await api.outcome(.get, "a/\(number)", inPieces: number % 2 == 1)
        let (bytes, ending) = drawn(number)
        let reading = StrictReader.read(bytes, endsInOrder: ending == .closed)
        if let problem = Self.problem(outcome, reading) {
          let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
          wrong.append(
            "\(problem), FUZZ_SEED=\(seed) FUZZ_CASE=\(number), \(ending): \(text.debugDescription)"
          )
        }
      }
      #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(10).joined(separator: "\n"))")
    }

    private static func problem(
      _ outcome: AttackOutcome, _ reading: StrictReader.Reading
    ) -> String? {
      switch (outcome, reading) {
      case (.response(let status, let body), .response(let strict, let strictBody)):
        (status, body) == (strict, strictBody) ? nil : "\(outcome) and not \(reading)"
      case (.response(let status, _), .packed(let strict)):
        status == strict ? nil : "\(outcome) and not \(strict)"
      case (.response, .refused(let reason)):
        "\(outcome), although \(reason)"
      case (.fault(let name, let fault), _):
        name == "timedOut" || name.hasPrefix("other") || !fault.mayHaveBeenProcessed
          ? "\(outcome)" : nil
      case (.other(let text), _):
        text
      }
    }

    /// The bytes with a few of them changed, removed, doubled or replaced by a piece.
    private static func mutated(_ original: [UInt8], _ generator: inout SeededGenerator) -> [UInt8]
    {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 0...6, using: &generator))
        switch Int.random(in: 0...6, using: &generator) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 2 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &generator)
        case 3 where place < bytes.count:
          bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 4:
          let piece = pieces.randomElement(using: &generator) ?? ""
          bytes.replaceSubrange(place..<end, with: Array(piece.utf8))
        default:
          // A line more, at the start of one: the likeliest to be read.
          let starts = bytes.indices.filter { $0 > 0 && bytes[$0 - 1] == 10 }
          let piece = pieces.randomElement(using: &generator) ?? ""
          bytes.insert(
            contentsOf: Array(piece.utf8), at: starts.randomElement(using: &generator) ?? place)
        }
      }
      return bytes
    }
  }
}
