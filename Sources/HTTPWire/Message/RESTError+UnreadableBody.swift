import Foundation

extension RESTError {
  /// Creates the error of a response whose body cannot be read.
  ///
  /// The status decides: an error status is the kind of the error, and the fault stands beside it.
  ///
  /// - Parameters:
  ///   - fault: The fault of the body. It becomes ``underlyingError``.
  ///   - response: The response, with the part of the body that has arrived.
  package init(unreadable fault: TransportError, of response: RESTResponse) {
    guard 200...299 ~= response.statusCode else {
      self = RESTError(unacceptable: response).beside(fault)
      return
    }
    self.init(fault, request: response.request, head: response.head, body: response.data)
  }

  /// Returns this error of a response, beside the fault of its body.
  package func beside(_ fault: TransportError) -> RESTError {
    var error = RESTError(
      kind, reason: "\(reason), and its body could not be read: \(fault.bodyReason)",
      remedy: fault.remedy, request: request, head: response, body: body, attempts: attempts,
      underlyingError: fault)
    error.log = log
    return error
  }

  /// The response whose body cannot be read, and the fault of the body; nil for other errors.
  package var unreadableResponse: (response: RESTResponse, fault: TransportError)? {
    guard case .transport = kind, let fault = underlyingError as? TransportError, let response,
      let request
    else { return nil }
    return (RESTResponse(head: response, data: body ?? Data(), request: request), fault)
  }
}
