/// A step of an upload.
public enum UploadEvent: Sendable {
  /// So much of the body has gone out.
  ///
  /// After a redirect that takes the body along it begins anew.
  case progress(TransferProgress)
  /// The whole response, of any status: the last value.
  case response(RESTResponse)

  /// The response, if this is it.
  var response: RESTResponse? {
    if case .response(let response) = self { response } else { nil }
  }
}
