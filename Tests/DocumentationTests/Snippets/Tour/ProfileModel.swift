import IdentityKit
import RESTKit
import Streams

// snippet: subscribe
@MainActor
final class ProfileModel {
  private(set) var greeting = "…"
  private var cancellables = Set<AnyCancellable>()
  private let identity: IdentityService

  init(identity: IdentityService) {
    self.identity = identity
  }

  func load() {
    identity.fetchProfile
      .sink(on: .mainActor) { [weak self] result in
        switch result {
        case .success(let profile): self?.greeting = "Hello, \(profile.firstName)"
        case .failure(let error): self?.greeting = "\(error)"
        }
      }
      .store(in: &cancellables)
  }
}
// end
