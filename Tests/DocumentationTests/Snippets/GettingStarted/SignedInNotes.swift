public import RESTKit

extension NotesService {
  /// The notes of somebody who has signed in.
  ///
  /// The token goes with each request and is renewed when it has ended.
  public static func signedIn(
    at baseURL: String, as credential: Credential, transport: any Transport = .shared
  ) throws -> NotesService {
    let session = TokenSession(grant: JSONRefreshGrant(baseURL: baseURL, transport: transport))
    try session.signIn(credential)
    return NotesService(
      api: NotesAPI(baseURL: baseURL, transport: transport, session: session))
  }
}
