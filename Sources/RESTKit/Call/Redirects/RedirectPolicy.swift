/// Which redirects an API's requests follow.
///
/// Whatever the policy: at most ten in a row, never from https to http, and no secret header leaves
/// its origin (scheme, host and port; RFC 6454 §4).
public enum RedirectPolicy: Sendable, Hashable {
  /// None: a 3xx is delivered as any other response.
  case never
  /// Those that stay at the origin; one that leaves it fails with a `RESTError` of kind `redirect`.
  case sameOrigin
  /// Also those to other origins, which get the request without its secret headers.
  case follow
}
