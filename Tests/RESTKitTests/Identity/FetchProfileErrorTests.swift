import Foundation
import Testing

@testable import IdentityKit
@testable import RESTKit

@Suite("What the errors of a profile say")
struct FetchProfileErrorTests {
  @Test("Each says what happened and what to do")
  func texts() {
    let errors: [(FetchProfileError, String)] = [
      (.signedOut, "No profile: nobody is signed in. Call signIn(_:) first."),
      (
        .tokenStore(RefreshError.noRefreshToken),
        "No profile: the token store failed. "
          + "There is no refresh token to send. Sign in again."
      ),
      (
        .refreshFailed(RefreshError.emptyAccessToken),
        "No profile: the access token was refused and refreshing it failed. "
          + "The refresh answered with an empty access token. Look into the identity server's log."
      ),
      (
        .requestFailed(RefreshError.noAnswer),
        "No profile. The refresh ended without an answer. Let the grant give a token or fail."
      ),
    ]
    for (error, text) in errors { #expect("\(error)" == text) }
  }

  @Test("A refresh that never answered is the reason itself")
  func noCause() {
    let late = TokenSessionError.refreshTimedOut(after: .seconds(30))
    #expect("\(FetchProfileError(late))".hasSuffix("refreshing it failed. \(late)"))
  }
}
