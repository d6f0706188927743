import Fixtures
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The count of a body's bytes")
struct BodyMeterTests {
  private func limits() -> TransportLimits {
    var limits = TransportLimits()
    limits.bodyBytes = 10_000_000
    limits.errorBodyBytes = 1_000_000
    return limits
  }

  private func fault(_ work: () throws(TransportError) -> Void) -> TransportError? {
    do throws(TransportError) {
      try work()
      return nil
    } catch {
      error.expectTrueWord()
      return error
    }
  }

  @Test("An encoded body may exceed the limit by a thousandth and 1,024 bytes, and no more")
  func encoded() {
    // The limit, and what a coding may add to so many bytes.
    for (status, limit, most) in [(200, 10_000_000, 10_011_035), (404, 1_000_000, 1_002_026)] {
      var meter = BodyMeter(limits(), isCollected: true)
      #expect(!meter.hasBegun)
      meter.take(encoded: most)
      #expect(meter.hasBegun)
      #expect(most - most / 1_000 - 1_024 == limit)
      #expect(fault { () throws(TransportError) in try meter.checkEncoded(status: status) } == nil)
      meter.take(encoded: 1)
      let fault = fault { () throws(TransportError) in try meter.checkEncoded(status: status) }
      #expect(fault?.kind == .limitExceeded(status == 200 ? .bodyBytes : .errorBodyBytes))
      #expect(fault?.statusCode == status)
      #expect(fault?.detail == "more than \(limit) bytes of encoded body")
    }
  }

  @Test("A decoded body has the limit's length at most, even before its status is known")
  func decoded() {
    for (status, limit) in [(200, 10_000_000), (nil, 10_000_000), (400, 1_000_000)] {
      var meter = BodyMeter(limits(), isCollected: true)
      meter.take(encoded: 10_000_000)
      #expect(
        fault { () throws(TransportError) in try meter.take(decoded: limit, status: status) } == nil
      )
      let fault = fault { () throws(TransportError) in try meter.take(decoded: 1, status: status) }
      #expect(fault?.kind == .limitExceeded(status == 400 ? .errorBodyBytes : .bodyBytes))
      #expect(fault?.detail == "more than \(limit) bytes of decoded body")
    }
  }

  @Test("Only the ratio applies to a body in pieces")
  func pieces() {
    var meter = BodyMeter(limits(), isCollected: false)
    // 100,000,000 bytes, and 250 times as many: more than 32 bits count.
    for _ in 1...25 { meter.take(encoded: 4_000_000) }
    #expect(fault { () throws(TransportError) in try meter.checkEncoded(status: 200) } == nil)
    #expect(
      fault { () throws(TransportError) in
        for _ in 1...25 { try meter.take(decoded: 1_000_000_000, status: 200) }
      } == nil)
    let fault = fault { () throws(TransportError) in try meter.take(decoded: 1, status: 200) }
    #expect(fault?.kind == .limitExceeded(.expansionRatio))
    #expect(fault?.detail == "more than 250 bytes for each byte received")
  }

  @Test("A mebibyte is never a bomb, from any number of bytes, and 400 is the first error's status")
  func limitsAtTheirEdge() {
    #expect(TransportLimits().allows(decodedBytes: 1 << 20, of: 0))
    #expect(!TransportLimits().allows(decodedBytes: (1 << 20) + 1, of: 0))
    #expect(limits().bodyLimit(status: 399).kind == .bodyBytes)
    #expect(limits().bodyLimit(status: 400).kind == .errorBodyBytes)
    var same = limits()
    same.errorBodyBytes = same.bodyBytes
    #expect(same.bodyLimit(status: 400).kind == .bodyBytes)
  }
}
