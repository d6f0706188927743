import RESTKit
import RESTKitTesting

/// A response in pieces: a step of a script.
package struct StubbedResponse {
  package var statusCode: Int
  package var headers: HTTPHeaders
  package var pieces: [StubPiece]
  package var end: BodyEnd

  package init(
    statusCode: Int = 200, headers: HTTPHeaders = [:], pieces: [StubPiece] = [],
    end: BodyEnd = .complete
  ) {
    self.statusCode = statusCode
    self.headers = headers
    self.pieces = pieces
    self.end = end
  }
}

extension StubAPIResponse {
  /// A script of responses in pieces, in their order; nil where there are none.
  package init?(_ answers: [(request: StubRequest, answer: StubbedResponse)]) {
    guard let (request, first) = answers.first else { return nil }
    self = answers.dropFirst().reduce(
      StubAPIResponse(
        request: request, statusCode: first.statusCode, headers: first.headers,
        pieces: first.pieces, end: first.end)
    ) { script, next in
      script.thenRespondWith(
        request: next.request, statusCode: next.answer.statusCode, headers: next.answer.headers,
        pieces: next.answer.pieces, end: next.answer.end)
    }
  }
}
