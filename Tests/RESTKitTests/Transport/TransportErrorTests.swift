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

  @Test("Each kind says what happened, what the engine said and what to do")
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

  @Test("A detail has no query and no line break, and an end")
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
}
