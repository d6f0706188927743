import Testing

@testable import RESTKit

@Suite("Transport faults")
struct TransportErrorTests {
  private static let kinds: [TransportError.Kind] =
    [
      .unsupportedURL, .invalidRequest, .hostNotFound, .connectionRefused, .connectFailed,
      .connectionClosedBeforeResponse, .connectionReset, .bodyCut, .malformedResponse,
      .undecodableBody, .timedOut, .sendFailed, .limitExceeded(.headerBytes),
      .limitExceeded(.bodyBytes), .engineUnavailable, .invalidOptions, .other(code: 7),
    ] + TransportError.TLSReason.allCases.map(TransportError.Kind.tlsFailed)

  @Test("Each kind has a reason, the engine's detail and the remedy")
  func descriptions() {
    let texts = Self.kinds.map {
      TransportError(kind: $0, detail: "the words", mayHaveBeenProcessed: true).description
    }
    #expect(Set(texts).count == Self.kinds.count)
    for text in texts {
      #expect(text.contains("(the words); the server may have processed the request. "))
      #expect(text.hasSuffix("."))
    }
  }

  @Test("A detail has no query and no line break, and a limited length")
  func details() {
    let fault = TransportError(
      kind: .timedOut, detail: "at /x?token=secret\r\nnext " + String(repeating: "y", count: 400),
      mayHaveBeenProcessed: false)
    #expect(fault.detail.hasPrefix("at /x?…  next yyy"))
    #expect(fault.detail.unicodeScalars.count <= 301)
    for length in [299, 300, 301] {
      let fault = TransportError(
        kind: .timedOut, detail: String(repeating: "y", count: length),
        mayHaveBeenProcessed: false)
      #expect(fault.detail.count == min(length, 300))
    }
  }

  @Test(
    "A blank ends a query, and only control characters become blanks",
    arguments: [
      ("at /x?token=secret on h", "at /x?… on h"), ("a?secret\u{7F}b", "a?… b"), ("a?", "a?…"),
      ("a\u{7F}b\u{1}c\td", "a b c d"), ("!a\u{80}b~", "!a\u{80}b~"),
    ])
  func characters(detail: String, told: String) {
    let fault = TransportError(kind: .timedOut, detail: detail, mayHaveBeenProcessed: false)
    #expect(fault.detail == told)
  }

  @Test("An unavailable engine has sent nothing")
  func unavailable() {
    let fault = TransportError.unavailable("no library")
    #expect(fault.kind == .engineUnavailable)
    #expect(!fault.mayHaveBeenProcessed)
  }
}
