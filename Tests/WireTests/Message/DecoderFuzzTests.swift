#if os(Linux)
  import Fixtures
  import Foundation
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("SEC-17: content codings", .timeLimit(.minutes(10)))
  struct DecoderFuzzTests {
    /// The result of an encoded body that comes in pieces.
    private enum Outcome: Equatable {
      case body(Data)
      case fault(TransportError.Kind)
    }

    private static let most = 1 << 20

    private func decoded(_ pieces: [ArraySlice<UInt8>], _ coding: String) -> Outcome {
      var body = Data()
      do throws(TransportError) {
        guard
          let decoder = try ContentDecoder(
            ["Content-Encoding": coding], limits: TransportLimits())
        else {
          return .fault(.invalidRequest)
        }
        for piece in pieces {
          let result = piece.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in
              try decoder.push(bytes) { (made) throws(TransportError) in
                body.append(contentsOf: made)
                guard body.count <= Self.most else {
                  throw TransportError.afterSending(
                    .limitExceeded(.bodyBytes), "more than is wanted")
                }
              }
            }
          }
          try result.get()
        }
        return decoder.faultAtEnd.map { .fault($0.kind) } ?? .body(body)
      } catch {
        return .fault(error.kind)
      }
    }

    private static let bodies: [(coding: String, bytes: [UInt8])] =
      BodyFixtures.hellos.map { ($0.coding, Array($0.bytes)) }
      + [("gzip", Array(BodyFixtures.zerosMember))]

    @Test("A body is the same in any pieces", arguments: Fuzz.seeds)
    func cuts(seed: UInt64) {
      Fuzz.run(seed, cases: 2_000) { generator, drawn in
        let (coding, bytes) = generator.one(of: Self.bodies)
        let pieces = generator.cut(bytes, pieces: generator.number(0...9))
        let whole = decoded([bytes[...]], coding)
        guard case .body = whole, decoded(pieces, coding) == whole else {
          return drawn.fail("\(coding) in \(pieces.map(\.count)) bytes is another body")
        }
      }
    }

    @Test("A truncated body is a fault", arguments: Fuzz.seeds)
    func truncation(seed: UInt64) {
      Fuzz.run(seed, cases: 1_000) { generator, drawn in
        let (coding, bytes) = generator.one(of: Self.bodies)
        let part = Array(bytes.prefix(generator.number(1...(bytes.count - 1))))
        let outcome = decoded(generator.cut(part, pieces: generator.number(0...4)), coding)
        guard outcome == .fault(.bodyCut) else {
          return drawn.fail("\(part.count) bytes of \(coding) are \(outcome)")
        }
      }
    }

    @Test("A body with a few flipped bits is a fault, or the same body", arguments: Fuzz.seeds)
    func flips(seed: UInt64) {
      Fuzz.run(seed, cases: 2_000) { generator, drawn in
        let (coding, original) = generator.one(of: Self.bodies)
        var bytes = original
        for _ in 0..<generator.number(1...3) {
          bytes[generator.number(0...(bytes.count - 1))] ^= 1 << UInt8(generator.number(0...7))
        }
        let outcome = decoded(generator.cut(bytes, pieces: generator.number(0...3)), coding)
        // Only gzip has a checksum in every form.
        guard case .body(let body) = outcome, coding.lowercased().contains("gzip") else { return }
        // In a body of zeros, a flip can end the member at once: the next zeros are its checksum,
        // and what follows belongs to nothing.
        if body.isEmpty, original == Array(BodyFixtures.zerosMember) { return }
        guard outcome == decoded([original[...]], coding) else {
          return drawn.fail("a broken body was taken for whole: \(outcome)")
        }
      }
    }

    @Test("Noise is a fault, and never gives more bytes than requested", arguments: Fuzz.seeds)
    func noise(seed: UInt64) {
      let codings = ["gzip", "deflate", "gzip, deflate", "deflate, gzip", "x-gzip"]
      Fuzz.run(seed, cases: 3_000) { generator, drawn in
        var bytes = (0..<generator.number(0...200)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        if generator.number(0...1) == 0 { bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bytes }
        let coding = generator.one(of: codings)
        switch decoded(generator.cut(bytes, pieces: generator.number(0...3)), coding) {
        case .body(let body) where body.count > Self.most: drawn.fail("more came than was wanted")
        case .body, .fault(.bodyCut), .fault(.undecodableBody), .fault(.limitExceeded): return
        case let outcome: drawn.fail("\(outcome)")
        }
      }
    }
  }
#endif
