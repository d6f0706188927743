public import IdentityKit
import RESTKit
public import Streams

/// The part of the identity service that a screen needs, which mocks implement in tests and
/// previews.
public nonisolated protocol ProfileService: Sendable {
  var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> { get }
}

extension IdentityService: ProfileService {}
