import Fixtures
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The framing fields of a head")
struct ResponseFramingTests {
  @Test(
    "SEC-09: a length is digits between blanks, sent once or repeated unchanged",
    arguments: [
      "0", "9", "10", " 10", "10\t", "\t 10 \t", "010", "7, 7", "7,7 ,\t7", "9223372036854775807",
    ])
  func clear(length: String) {
    #expect(ResponseFraming.fault(of: ["Content-Length": length]) == nil)
  }

  @Test(
    "SEC-09: any other length is invalid, and the response is refused",
    arguments: [
      "", " ", ",", "7,", ",7", "7, 8", "7,7,8", "-1", "+1", "1.0", "0x1", "1 2", "1\u{B}", "/",
      ":",
      "9223372036854775808", "92233720368547758070", "99999999999999999999", "1e3", "1;",
    ])
  func unclear(length: String) {
    let fault = ResponseFraming.fault(of: ["content-length": length])
    #expect(fault?.kind == .malformedResponse)
    fault?.expectTrueWord()
  }

  @Test("SEC-09: lines with different lengths are refused, equal ones are accepted")
  func lines() throws {
    var headers = HTTPHeaders()
    headers.append(name: "Content-Length", value: "7")
    headers.append(name: "content-length", value: "7")
    #expect(ResponseFraming.fault(of: headers) == nil)
    headers.append(name: "CONTENT-LENGTH", value: "8")
    #expect(ResponseFraming.fault(of: headers)?.kind == .malformedResponse)
  }

  @Test("SEC-09: the only transfer coding is chunked, once")
  func codings() {
    #expect(ResponseFraming.fault(of: ["Transfer-Encoding": "Chunked"]) == nil)
    for coding in ["", "gzip", "gzip, chunked", "chunked, chunked", "identity"] {
      let fault = ResponseFraming.fault(of: ["Transfer-Encoding": coding])
      #expect(fault?.kind == .malformedResponse, "\(coding)")
    }
    var headers: HTTPHeaders = ["Transfer-Encoding": "chunked"]
    headers.append(name: "Transfer-Encoding", value: "chunked")
    #expect(ResponseFraming.fault(of: headers)?.kind == .malformedResponse)
  }

  @Test("SEC-09: an interim head frames no body, and switches no protocol")
  func interim() {
    #expect(ResponseFraming.faultOfInterim(status: 100, [:]) == nil)
    #expect(ResponseFraming.faultOfInterim(status: 103, ["Link": "</a>"]) == nil)
    for headers: HTTPHeaders in [["Content-Length": "0"], ["Transfer-Encoding": "chunked"]] {
      let fault = ResponseFraming.faultOfInterim(status: 103, headers)
      #expect(fault?.detail == "an interim head announces a body")
    }
    let fault = ResponseFraming.faultOfInterim(status: 101, [:])
    #expect(fault?.detail == "it switches to another protocol, which was not requested")
  }
}
