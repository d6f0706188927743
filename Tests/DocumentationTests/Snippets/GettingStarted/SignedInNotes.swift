public import RESTKit

extension NotesService {
  /// Returns a service for a user who has signed in.
  ///
  /// Each request carries the user's token. The session renews an expired token.
  public static func signedIn(
    at baseURL: String, as credential: Credential, transport: any Transport = .shared
  ) throws -> NotesService {
    let session = TokenSession(grant: JSONRefreshGrant(baseURL: baseURL, transport: transport))
    try session.signIn(credential)
    return NotesService(
      api: NotesAPI(baseURL: baseURL, transport: transport, session: session))
  }
}
