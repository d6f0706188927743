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
/// Each response is given once, to the request it is for; a request out of order is not served. For
/// independent requests, give a ``StubTransport`` several scripts.
public struct StubAPIResponse: Sendable {
  /// Looks at a request and throws where it is not as it should be.
  public typealias Verification = @Sendable (URLRequest) throws -> Void

  struct Step: Sendable {
    let request: StubRequest
    let statusCode: Int
    let headers: HTTPHeaders
    let result: Result<Data, any Error>
    let delay: Duration
    let place: SourcePlace
    var verifications: [Verification] = []
  }

  private(set) var steps: [Step]

  /// Begins a script with its first response.
  ///
  /// - Parameters:
  ///   - request: The request it is for.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body; or a failure, with which the exchange fails in place of a response.
  ///   - delay: How long the answer takes, on the transport's scheduler.
  public init(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    steps = [
      Step(
        request: request, statusCode: statusCode, headers: headers, result: result, delay: delay,
        place: SourcePlace(fileID: fileID, line: line))
    ]
  }

  /// Adds the next response.
  ///
  /// - Parameters:
  ///   - request: The request it is for.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body; or a failure, with which the exchange fails in place of a response.
  ///   - delay: How long the answer takes, on the transport's scheduler.
  public func thenRespondWith(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> StubAPIResponse {
    var script = self
    script.steps +=
      StubAPIResponse(
        request: request, statusCode: statusCode, headers: headers, result: result, delay: delay,
        fileID: fileID, line: line
      ).steps
    return script
  }

  /// Looks at the request that the last response is for, when it comes.
  ///
  /// What it throws fails the exchange, and ``StubTransport/verify()`` throws it again.
  ///
  /// - Parameter verification: Runs on the thread that subscribes.
  public func thenVerifyRequest(_ verification: @escaping Verification) -> StubAPIResponse {
    var script = self
    script.steps[script.steps.count - 1].verifications.append(verification)
    return script
  }
}

/// Where in a test something was written.
struct SourcePlace: Sendable, CustomStringConvertible {
  let fileID: StaticString
  let line: UInt

  var description: String { "\(fileID):\(line)" }
}
