import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request to a closure, with the rules for its response.
struct ClosureExchange: Sendable {
  let request: URLRequest
  let limits: TransportLimits
  /// Whether the limits on whole bodies apply.
  let isCollected: Bool

  /// Returns the reason why a request cannot be sent, or nil if it can.
  static func refusal(of request: URLRequest, body: RequestBody? = nil) -> RESTError? {
    do throws(TransportError) {
      try request.validateForSending(body: body)
      return nil
    } catch {
      return RESTError(error, request: RequestSummary(request))
    }
  }

  /// Returns the fault of a closure that exceeds the request's time limit.
  func timeout(after limit: Duration) -> RESTError {
    failure(.afterSending(.timedOut, "after \(limit)"))
  }

  /// Returns the closure's result, changed as a network would change it.
  func result(of answer: Result<RESTResponse, any Error>) -> Result<RESTResponse, any Error> {
    do {
      return .success(try checked(try answer.get()))
    } catch let fault as TransportError {
      return .failure(failure(fault))
    } catch {
      return .failure(error)
    }
  }

  private func checked(_ response: RESTResponse) throws(TransportError) -> RESTResponse {
    let status = response.statusCode
    var heads = HeadMeter(limits)
    if let limit = heads.take(response.headers) { throw heads.fault(limit, status: status) }
    let fault =
      ResponseFraming.faultOfSwitch(status: status) ?? ResponseFraming.fault(of: response.headers)
    if let fault { throw fault.behind(status: status) }
    guard !isBodiless(status) else { return response.replacingData(with: Data()) }
    var body = BodyMeter(limits, isCollected: isCollected)
    body.take(encoded: response.data.count)
    try body.take(decoded: response.data.count, status: status)
    return response
  }

  /// Whether a response to the request has no body, regardless of its head (RFC 9112 §6.3).
  private func isBodiless(_ status: Int) -> Bool {
    request.method == .head || status < 200 || status == 204 || status == 304
  }

  private func failure(_ fault: TransportError) -> RESTError {
    RESTError(fault, request: RequestSummary(request))
  }
}
