import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension MockResponse {
  /// Creates the server's response for a stub's turn.
  init(_ step: StubStep, to request: URLRequest) {
    self.init(status: step.statusCode, headers: Array(step.headers))
    // A cut body needs a length that is not reached.
    body = step.fault == nil ? step.body(for: request) : Data(count: 1_000)
    let half = StubStep.half
    let status = "HTTP/1.1 \(step.statusCode) \(reason)\r\n"
    let wholeHead = head(framing: ("Content-Length", "\(body.count)"), persistence: nil)
    switch step.fault {
    case nil:
      guard step.flow != nil || step.bytesPerSecond != nil && !body.isEmpty else { return }
      // A whole body with a limited speed has a length as any other.
      if step.flow == nil, !hasField("Content-Length"), !hasField("Transfer-Encoding") {
        headers.append(("Content-Length", "\(body.count)"))
      }
      let flow = step.flow(for: request)
      let pace = step.bytesPerSecond.map { Duration.seconds(1) / $0 }
      delivery = .pieces(
        flow.pieces.map { .after($0.wait, $0.data).paced(pace) }, end: flow.end)
    case .hostNotFound, .connectionRefused, .notTLS: return
    case .closedBeforeResponse: delivery = .closeBeforeResponse
    case .resetBeforeResponse: delivery = .resetBeforeResponse
    case .resetInHeaders: delivery = .rawThenReset(Data("\(status)Content-Ty".utf8))
    case .resetInBody: delivery = .rawThenReset(Data(wholeHead) + half)
    case .bodyCut: delivery = .cut(afterBytes: half.count)
    case .chunkCut: delivery = .chunkedCut([half])
    case .malformedStatusLine: delivery = .raw(Data("HTTQ/1.1 200 OK\r\n\r\n".utf8))
    case .twoLengths:
      let lengths = "Content-Length: \(body.count + 1)\r\nContent-Length: \(body.count)\r\n\r\n"
      delivery = .raw(Data((status + lengths).utf8) + body)
    case .stall: delivery = .hang
    case .stallInBody: delivery = .paused(afterBytes: half.count, until: MockGate())
    }
  }
}
