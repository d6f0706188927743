import Fixtures
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("Heads from Foundation, and their refused fields")
struct URLSessionHeadTests {
  private func fault(
    _ headers: HTTPHeaders, status: Int = 200, method: String? = "GET"
  ) -> TransportError? {
    let fault = URLSessionHead.fault(status: status, headers: headers, method: method)
    fault?.expectTrueWord()
    return fault
  }

  @Test("SEC-09: two content codings are accepted, a third is refused")
  func codings() {
    #expect(fault([:]) == nil)
    #expect(fault(["Content-Encoding": "gzip"]) == nil)
    #expect(fault(["Content-Encoding": "gzip, br"]) == nil)
    let refused = fault(["Content-Encoding": "gzip, br, gzip"], status: 503)
    #expect(refused?.kind == .undecodableBody)
    #expect(refused?.statusCode == 503)
    #expect(refused?.detail == "more than 2 content codings")
  }

  @Test("A response without a body is accepted with any number of codings")
  func nothing() {
    let codings: HTTPHeaders = ["Content-Encoding": "gzip, gzip, gzip"]
    #expect(fault(codings, method: "HEAD") == nil)
    #expect(fault(codings, status: 204) == nil)
    #expect(fault(codings, status: 304) == nil)
    #expect(fault(["Content-Encoding": "gzip, gzip, gzip", "Content-Length": "0"]) == nil)
    #expect(fault(["Content-Encoding": "gzip, gzip, gzip", "Content-Length": "9"]) != nil)
    #expect(fault(codings, method: nil) != nil)
    #expect(fault(codings, status: 205) != nil)
  }

  @Test("SEC-09: a carriage return in a value is refused, in each kind of response")
  func carriageReturn() {
    for status in [200, 204, 304] {
      #expect(fault(["A": "b\rC: d"], status: status)?.kind == .malformedResponse)
    }
    #expect(fault(["A": "b"]) == nil)
  }

  @Test("SEC-09: an unrequested switch of protocols in Foundation's head is refused")
  func switching() {
    #expect(fault(["Upgrade": "h2c"], status: 101)?.kind == .malformedResponse)
  }
}
