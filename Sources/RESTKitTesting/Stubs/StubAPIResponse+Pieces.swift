import Foundation
import RESTKit

extension StubAPIResponse {
  /// Begins a script with a response whose body comes in pieces.
  ///
  /// ```swift
  /// StubAPIResponse(
  ///   request: StubRequest(.get, path: "/v1/feed"),
  ///   pieces: ["data: a\n\n", .after(.seconds(2), "data: b\n\n")], end: .cut)
  /// ```
  ///
  /// Who takes the response in pieces gets the head first and then each piece, in memory just as it is
  /// here, over a socket the same bytes in chunks of any size. Who takes it whole gets all of them
  /// together, or the failure of the end. The server keeps its times, whether it is asked for more or
  /// not: what nobody has asked for yet waits for demand.
  ///
  /// The request's `timeoutInterval` holds: for a whole response against all of the time, in pieces
  /// against each time without a byte. An answer that has no body by HTTP's rules is its head alone.
  ///
  /// Without a `Content-Length` the body is chunked on a socket. With one, as many bytes are the whole
  /// body, and more than those are never sent; fewer are a cut body, also where `end` is
  /// ``BodyEnd/complete``. One that is no number of bytes fails the call, with a ``StubError`` of kind
  /// ``StubFailure/Kind/invalidStub``.
  ///
  /// - Parameters:
  ///   - request: The request it is for.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: What comes behind the last piece. A cut fails with `transport(.bodyCut)`, a reset with
  ///     `transport(.connectionReset)`, silence with `transport(.timedOut)`; a reset may take with it, on
  ///     a socket, what the client has not read.
  ///   - delay: How long the head takes.
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  public init(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:], pieces: [StubPiece],
    end: BodyEnd = .complete, delay: Duration = .zero, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      request: request, statusCode: statusCode, headers: headers, delay: delay, fileID: fileID,
      filePath: filePath, line: line, column: column)
    changeLast { $0.flow = StubFlow(pieces: pieces, end: end) }
  }

  /// Adds a response whose body comes in pieces.
  ///
  /// - Parameters:
  ///   - request: The request it is for.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: What comes behind the last piece.
  ///   - delay: How long the head takes.
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  public func thenRespondWith(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:], pieces: [StubPiece],
    end: BodyEnd = .complete, delay: Duration = .zero, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> StubAPIResponse {
    var script = thenRespondWith(
      request: request, statusCode: statusCode, headers: headers, delay: delay, fileID: fileID,
      filePath: filePath, line: line, column: column)
    script.changeLast { $0.flow = StubFlow(pieces: pieces, end: end) }
    return script
  }
}
