import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A script of what a server would answer: responses in the order in which they are asked for.
///
/// ```swift
/// let script = StubAPIResponse(
///   request: .init(.get, urlString: "https://id.example.com/me"), statusCode: 401
/// )
/// .thenRespondWith(
///   request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
///   result: .json(#"{"result": {"accessToken": "fresh"}}"#)
/// )
/// .thenVerifyRequest { request in
///   #expect(request.httpMethod == "POST")
/// }
/// ```
///
/// Each response is given once, unless it ``repeats(_:)`` or is given ``always()``, to the request
/// it is for; a request out of order is not served. For independent requests, give a
/// ``StubTransport`` several scripts.
public struct StubAPIResponse: Sendable {
  /// Looks at a request and throws where it is not as it should be.
  public typealias Verification = @Sendable (URLRequest) throws -> Void

  private(set) var steps: [StubStep]

  init(steps: [StubStep]) {
    self.steps = steps
  }

  /// Begins a script with its first response.
  ///
  /// - Parameters:
  ///   - request: The request it is for.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body; or a failure, with which the exchange fails in place of a response.
  ///   - delay: How long the answer takes, on the transport's scheduler. Past the request's
  ///     `timeoutInterval` the exchange fails then, as it would over a network.
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  public init(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    steps = [
      StubStep(
        request: request, statusCode: statusCode, headers: headers, result: result, delay: delay,
        location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    ]
  }

  /// Adds the next response.
  ///
  /// - Parameters:
  ///   - request: The request it is for.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body; or a failure, with which the exchange fails in place of a response.
  ///   - delay: How long the answer takes, on the transport's scheduler. Past the request's
  ///     `timeoutInterval` the exchange fails then, as it would over a network.
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  public func thenRespondWith(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> StubAPIResponse {
    var script = self
    script.steps +=
      StubAPIResponse(
        request: request, statusCode: statusCode, headers: headers, result: result, delay: delay,
        fileID: fileID, filePath: filePath, line: line, column: column
      ).steps
    return script
  }

  /// Looks at the request that the last response is for, when it comes.
  ///
  /// What it throws fails the exchange, and the test at this line, from whatever thread it came:
  /// ``StubTransport/verify()`` throws it again. In a test that is verified as a whole
  /// (``StubTransport/verifyingAll(_:report:)``, the trait `.stubs`) it runs on
  /// the test's own task: for a request that is sent from elsewhere, when the test ends.
  ///
  /// - Parameters:
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  ///   - verification: Runs on the thread that subscribes.
  public func thenVerifyRequest(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, _ verification: @escaping Verification
  ) -> StubAPIResponse {
    changingLast {
      $0.verifications.append(
        StubVerification(
          location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
          body: verification))
    }
  }

  /// Gives the last response so many times; each is to be asked for.
  public func repeats(_ count: Int) -> StubAPIResponse {
    changingLast { $0.uses = max(1, count)...max(1, count) }
  }

  /// Gives the last response as often as it is asked for, which is to be once at least.
  ///
  /// The script goes on as soon as a request comes that is for its next response and not for this.
  public func always() -> StubAPIResponse {
    changingLast { $0.uses = 1...Int.max }
  }

  /// Lets the last response be unused.
  public func optional() -> StubAPIResponse {
    changingLast { $0.uses = 0...$0.uses.upperBound }
  }

  /// Lets the last response's body take its time.
  ///
  /// A piece comes when its last byte has; its own wait goes before the first.
  ///
  /// - Parameter bytesPerSecond: How fast it comes, on the transport's scheduler.
  public func throttled(bytesPerSecond: Int) -> StubAPIResponse {
    changingLast { $0.bytesPerSecond = max(1, bytesPerSecond) }
  }

  private func changingLast(_ change: (inout StubStep) -> Void) -> StubAPIResponse {
    var script = self
    script.changeLast(change)
    return script
  }

  mutating func changeLast(_ change: (inout StubStep) -> Void) {
    change(&steps[steps.count - 1])
  }
}
