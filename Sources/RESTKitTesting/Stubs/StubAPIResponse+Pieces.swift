import Foundation
import RESTKit

extension StubAPIResponse {
  /// Begins a script with a response whose body arrives in pieces.
  ///
  /// ```swift
  /// StubAPIResponse(
  ///   request: StubRequest(.get, path: "/v1/feed"),
  ///   pieces: ["data: a\n\n", .after(.seconds(2), "data: b\n\n")], end: .cut)
  /// ```
  ///
  /// A client that takes the response in pieces gets the head first, and then each piece: in memory exactly
  /// these pieces, over a socket the same bytes in chunks of any size. A client that takes the whole
  /// response gets all pieces together, or the failure of the end. The server keeps its times with or
  /// without demand. Pieces that have arrived wait for demand.
  ///
  /// The request's `timeoutInterval` limits the total time of a whole response, and each time without a
  /// byte of a response in pieces. A response that has no body by HTTP's rules is only its head.
  ///
  /// Without a `Content-Length` the body is chunked on a socket. With one, that many bytes are the whole
  /// body, and no more are sent. Fewer bytes are a cut body, even if `end` is ``BodyEnd/complete``. A
  /// `Content-Length` that is not a number of bytes fails the call with a ``StubError`` of kind
  /// ``StubFailure/Kind/invalidStub``.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: The end of the body. A cut fails with `transport(.bodyCut)`, a reset with
  ///     `transport(.connectionReset)`, silence with `transport(.timedOut)`. On a socket, a reset may
  ///     discard bytes that the client has not read.
  ///   - delay: The delay before the head.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
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

  /// Adds a response whose body arrives in pieces.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: The end of the body.
  ///   - delay: The delay before the head.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
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
