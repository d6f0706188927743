public import IdentityKit
import RESTKit
public import Streams

/// What a screen needs of the identity service; a mock conforms to it in tests and previews.
public nonisolated protocol ProfileService: Sendable {
  var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> { get }
}

extension IdentityService: ProfileService {}
