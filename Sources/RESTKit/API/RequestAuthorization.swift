/// Whether a request carries the token of its API's ``RESTAPI/session``.
public enum RequestAuthorization: Sendable {
  /// It does, if the API has a session, and as ``TokenSession`` says.
  ///
  /// A call that is authorized already keeps to that: what `session.authorize(…)` is given carries the
  /// token of that session, and one that a session's own refresh makes carries none of it.
  case session
  /// It does not.
  case none
}
