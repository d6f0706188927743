import IdentityKit
import RESTKit

/// The dependencies of the app's parts: a value that the app creates at its start.
///
/// There is no container. A test creates a value with mocks in it.
public struct Dependencies: Sendable {
  /// The dependencies of code that gets no others.
  ///
  /// A test sets its own for the code inside `Dependencies.$current.withValue(…) { … }`, and for no
  /// other.
  @TaskLocal public static var current = Dependencies(
    profileService: IdentityService(baseURL: "https://id.example.com"))

  public var profileService: any ProfileService

  public init(profileService: any ProfileService) {
    self.profileService = profileService
  }
}
