import IdentityKit
import RESTKit
import Streams

/// The model of a screen that greets the signed-in user.
///
/// Releasing the model cancels a running call.
@MainActor public final class ProfileViewModel {
  /// The text of the screen's label.
  public private(set) var label = "…"

  private let service: any ProfileService
  private var cancellables = Set<AnyCancellable>()

  public init(service: any ProfileService) {
    self.service = service
  }

  public func load() {
    service.fetchProfile
      .sink(on: .mainActor) { [weak self] result in
        switch result {
        case .success(let profile): self?.label = "Hello, \(profile.firstName)"
        case .failure(let error): self?.label = "\(error)"
        }
      }
      .store(in: &cancellables)
  }
}
