/// A step of an upload.
public enum UploadEvent: Sendable {
  /// The number of bytes of the body that were sent so far.
  ///
  /// The progress begins again after a redirect that keeps the body.
  case progress(TransferProgress)
  /// The complete response, of any status. It is the last value.
  case response(RESTResponse)

  /// The response, if this event has one.
  package var response: RESTResponse? {
    if case .response(let response) = self { response } else { nil }
  }
}
