public import IdentityKit
import RESTKit
public import Streams

/// A service that returns a profile or an error without a network.
public struct MockProfileService: ProfileService {
  public var result: Result<User.Profile, FetchProfileError>

  public init(_ result: Result<User.Profile, FetchProfileError>) {
    self.result = result
  }

  public var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> {
    Just(result).eraseToAnyPublisher()
  }
}
