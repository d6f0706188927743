public import Observation
public import RESTKit
public import Streams

/// A field that searches people as one types.
@MainActor @Observable
public final class UserSearch {
  public var term = "" {
    didSet { typed.send(term) }
  }
  public private(set) var result = Result<[DirectoryUser], MatrixFailure>.success([])
  @ObservationIgnored private let typed = PassthroughSubject<String, Never>()
  @ObservationIgnored private var searching: AnyCancellable?

  public init(
    _ service: MatrixService,
    scheduler: any Scheduler = StandardTime.scheduler(else: .continuous)
  ) {
    searching = typed.debounce(for: .milliseconds(300), scheduler: scheduler).removeDuplicates()
      .flatMapLatest { term in
        service.users(matching: term).map(Result.success).catch { Just(.failure($0)) }
      }
      .sink(on: .mainActor) { [weak self] in self?.result = $0 }
  }
}
