import RESTKit
import RESTKitTesting

/// An answer in pieces: a step of a script.
struct StubAnswer {
  var statusCode = 200
  var headers: HTTPHeaders = [:]
  var pieces: [StubPiece] = []
  var end = BodyEnd.complete
}

extension StubAPIResponse {
  /// A script of answers in pieces, in their order; nil where there are none.
  init?(_ answers: [(request: StubRequest, answer: StubAnswer)]) {
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
