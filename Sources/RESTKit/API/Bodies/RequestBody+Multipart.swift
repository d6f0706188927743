extension RequestBody {
  /// A form with texts, bytes and files, as `multipart/form-data` with that `Content-Type`, whose
  /// boundary has to stay.
  ///
  /// Files are looked at when somebody subscribes, and read while they are sent; then the request's
  /// `timeoutInterval`, in seconds, is the time that the server may be silent for. What cannot be sent
  /// of it fails the call, as ``MultipartForm`` says.
  ///
  /// - Parameter form: The form; a list of its parts will do.
  public static func multipart(_ form: MultipartForm) -> RequestBody {
    RequestBody(contentType: form.contentType) { try form.body(for: $0) }
  }
}
