/// Whether a request carries the token of its API's ``RESTAPI/session``.
public enum RequestAuthorization: Sendable {
  /// It does, if the API has a session, and as ``TokenSession`` says.
  ///
  /// A call that is authorized already keeps to that: what `session.authorize(…)` is given carries the
  /// token of that session, and one that a session's own refresh makes carries none of it.
  /// A grant that works in a task says `none` for what it sends: a task does not tell whose it is.
  case session
  /// It does not; a session that is given the call, `session.authorize(…)`, puts its own token on it all
  /// the same.
  case none
}
