import Foundation
import Testing

@testable import IdentityKit
@testable import RESTKit

@Suite("The texts of a profile's errors")
struct FetchProfileErrorTests {
  @Test("Each error has its reason and the remedy")
  func texts() {
    let errors: [(FetchProfileError, String)] = [
      (
        .session(.signedOut),
        "No profile. Nobody is signed in, or the user changed while the call ran. Sign in, and start "
          + "the call again. A call that needs no user says authorization: .none."
      ),
      (
        .session(.storeNotReadable(RefreshError.noRefreshToken)),
        "No profile. The token store could not be read; nobody was signed out. Try again. "
          + "There is no refresh token to send. Sign in again."
      ),
      (
        .session(.refreshFailed(RefreshError.emptyAccessToken)),
        "No profile. The access token could not be renewed. Try again later. "
          + "The token response has an empty access token. Check the identity server's log."
      ),
      (
        .requestFailed(RefreshError.noResponse),
        "No profile. The refresh ended without a token. The grant must deliver a token or fail."
      ),
    ]
    for (error, text) in errors { #expect("\(error)" == text) }
  }

  @Test("A session's error is passed on unchanged")
  func session() {
    let late = TokenSessionError.refreshTimedOut(after: .seconds(30))
    guard case .session(.refreshTimedOut(.seconds(30))) = FetchProfileError(late) else {
      Issue.record("\(FetchProfileError(late))")
      return
    }
  }
}
