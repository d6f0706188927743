// Code of streams that stands in tables of the guides, so that the compiler checks it. `TableTests` compares.
import RESTKit
import Streams

enum StreamFragments {
  nonisolated enum APIError: Error { case empty }

  @MainActor final class Model {
    private(set) var names: [String] = []
    private(set) var count = 0
    private let text = PassthroughSubject<String, Never>()

    func show(_ name: String) { names.append(name) }

    func follow() -> [AnyCancellable] {
      [
        text.sink(on: .mainActor) { [weak self] in self?.names = [$0] },
        text.sink(on: .mainActor) { [weak self] in self?.show($0) },
        text.sink(on: .mainActor, receiveValue: show),
        text.filter { [count] name in name.count > count }.map(Self.numbered)
          .sink(on: .mainActor) { [weak self] in self?.show($0) },
      ]
    }

    nonisolated static func numbered(_ name: String) -> String { "1: \(name)" }
  }

  nonisolated static func operators(
    _ text: PassthroughSubject<String, APIError>, policy: RetryPolicy
  ) -> some Publisher<[String], any Error> {
    @Sendable func loud(_ name: String) -> String { name + "!" }
    let quiet: @Sendable (String) -> String = { "(\($0))" }
    return text.map(loud).map(quiet)
      .tryMap { name throws(APIError) in
        if name.isEmpty { throw .empty }
        return name
      }
      .mapError { $0 }
      .retry(policy)
      .collect(.byTime(.continuous, .seconds(0.3)))
  }

  static func counts(_ text: PassthroughSubject<String, Never>) -> AnyPublisher<Int, Never> {
    text.scan(0) { seen, _ in seen + 1 }.prefix(0).eraseToAnyPublisher()
  }

  static func results(_ text: PassthroughSubject<String, APIError>) -> [AnyCancellable] {
    [
      text.sink { result in print(result) },
      text.sink(on: .mainActor) { result in print(result) },
      Publishers.Timer(every: .seconds(1), on: .mainActor).sink { print($0) },
    ]
  }

  @MainActor final class RemoteImage {
    let states = CurrentValueSubject<Int, Never>(0)

    private(set) var calls: [String] = []

    func load() { calls.append("load") }
    func cancel() { calls.append("cancel") }
  }

  static func loaded(_ image: RemoteImage) -> AnyPublisher<Int, Never> {
    Single { @MainActor in image.load() }.flatMap { image.states }
      .handleEvents(receiveCancel: { Task { @MainActor in image.cancel() } })
      .eraseToAnyPublisher()
  }

  static func ends(
    _ text: PassthroughSubject<String, Never>, closed: PassthroughSubject<Void, Never>
  ) -> [AnyPublisher<String, Never>] {
    [
      text.prefix(1).eraseToAnyPublisher(),
      text.first { $0 == "done" }.eraseToAnyPublisher(),
      text.prefix(untilOutputFrom: closed).eraseToAnyPublisher(),
    ]
  }

  static func later(
    _ scheduler: any Scheduler, start: @escaping @Sendable () -> Void
  ) -> AnyCancellable {
    scheduler.schedule(after: .seconds(1)) { start() }
    return Just(()).delay(for: .seconds(1), scheduler: scheduler).sink { start() }
  }

  static func sent(_ x: Int, to subject: CurrentValueSubject<Int, Never>) { subject.send(x) }
}
