/// Whether a request carries the token of its API's ``RESTAPI/session``.
public enum RequestAuthorization: Sendable {
  /// The request carries the session's token if the API has a session; see ``TokenSession``.
  ///
  /// A call that is already authorized keeps its authorization: a call in `session.authorize(…)`
  /// carries the token of that session, and a call of a session's own refresh carries none of that
  /// session's tokens. A grant that works in a task uses `none` for its calls, because a task does not
  /// show which session it belongs to.
  case session
  /// The request does not carry the token of the API's session. `session.authorize(…)` still adds its
  /// own session's token.
  case none
}
