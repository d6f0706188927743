/// The redirects that an API's requests follow.
///
/// Under any policy, a request follows at most ten redirects in a row, never from https to http. No
/// secret header leaves its origin (scheme, host and port; RFC 6454 §4).
public enum RedirectPolicy: Sendable, Hashable {
  /// None. A 3xx is delivered as any other response.
  case never
  /// Redirects within the origin. A redirect to another origin fails with a `RESTError` of kind
  /// `redirect`.
  case sameOrigin
  /// All redirects. Another origin receives the request without its secret headers.
  case follow
}
