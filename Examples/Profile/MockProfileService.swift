public import IdentityKit
import RESTKit
public import Streams

/// Answers with a profile or an error, without any network.
public struct MockProfileService: ProfileService {
  public var result: Result<User.Profile, FetchProfileError>

  public init(_ result: Result<User.Profile, FetchProfileError>) {
    self.result = result
  }

  public var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> {
    Just(result).eraseToAnyPublisher()
  }
}
