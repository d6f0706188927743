/// What an output tells of the token that its request carried.
enum TokenVerdict {
  /// The server's answer, which may refuse it.
  case answered(RESTResponse)
  /// It was taken: there would be no such output otherwise.
  case accepted
  /// Nothing yet.
  case open
}
