import IdentityKit
import RESTKit

/// What the app's parts need of each other: a value, made where the app begins.
///
/// There is no container. A test makes one with mocks in it.
public struct Dependencies: Sendable {
  /// What code sees that was not given others; a test gives its own to everything below
  /// `Dependencies.$current.withValue(…) { … }`, and to nothing else.
  @TaskLocal public static var current = Dependencies(
    profileService: IdentityService(baseURL: "https://id.example.com"))

  public var profileService: any ProfileService

  public init(profileService: any ProfileService) {
    self.profileService = profileService
  }
}
