// Pipelines as they are written with Combine: the table of Docs/FromCombine.md, "The compiler says".
import Dispatch
import Streams

enum APIError: Error { case empty }

final class Order {
  var id = 0
}

@MainActor final class SearchModel {
  var names: [String] = []
  var count = 0
  let text = PassthroughSubject<String, Never>()

  func show(_ name: String) { names.append(name) }

  func follow() -> [AnyCancellable] {
    func numbered(_ name: String) -> String { "\(count): \(name)" }
    return [
      // expected-error @+1 {{main actor-isolated property 'names' can not be mutated from a Sendable closure}}
      text.receive(on: DispatchQueue.main).sink { [weak self] in self?.names = [$0] },
      // expected-error @+1 {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
      text.receive(on: DispatchQueue.main).sink { [weak self] in self?.show($0) },
      // expected-error @+1 {{converting function value of type '@MainActor @Sendable (String) -> ()' to '@Sendable (String) -> Void' loses global actor 'MainActor'}}
      text.sink(receiveValue: show),
      // expected-error @+1 {{main actor-isolated property 'count' can not be referenced from a Sendable closure}}
      text.filter { _ in self.count > 0 }.sink(on: .mainActor, receiveValue: show),
      // expected-error @+1 {{converting function value of type '@MainActor @Sendable (String) -> String' to '@Sendable (String) -> String' loses global actor 'MainActor'}}
      text.map(numbered).sink(on: .mainActor, receiveValue: show),
    ]
  }
}

final class Presenter {
  var names: [String] = []
  let text = PassthroughSubject<String, Never>()

  func follow() -> [AnyCancellable] {
    [
      // expected-error @+1 {{capture of 'self' with non-Sendable type 'Presenter?' in a '@Sendable' closure}}
      text.sink { [weak self] in self?.names = [$0] },
      // expected-error @+1 {{call to main actor-isolated instance method 'assign(to:on:)' in a synchronous nonisolated context}}
      text.map { [$0] }.assign(to: \.names, on: self),
    ]
  }
}

func functions(_ text: PassthroughSubject<String, Never>) {
  func loud(_ name: String) -> String { name + "!" }
  // expected-error @+1 {{converting non-Sendable function value to '@Sendable (String) -> String' may introduce data races}}
  _ = text.map(loud)
  let quiet: (String) -> String = { "(\($0))" }
  // expected-error @+1 {{converting non-Sendable function value to '@Sendable (String) -> String' may introduce data races}}
  _ = text.map(quiet)
}

func variables(_ text: PassthroughSubject<String, Never>) {
  var seen = 0
  // expected-error @+1 {{mutation of captured var 'seen' in concurrently-executing code}}
  _ = text.sink { _ in seen += 1 }
}

func values() {
  // expected-error @+1 2 {{type 'Order' does not conform to the 'Sendable' protocol}}
  _ = PassthroughSubject<Order, Never>()
}

func failures(_ text: PassthroughSubject<String, APIError>) {
  // expected-error @+1 {{invalid conversion of thrown error type 'any Error' to 'APIError'}}
  let _: AnyPublisher<String, APIError> = text.tryMap { name in
    if name.isEmpty { throw APIError.empty }
    return name
  }
  .eraseToAnyPublisher()
  // expected-error @+1 {{cannot assign value of type 'AnyPublisher<String, APIError>' to type 'AnyPublisher<String, any Error>'}}
  let _: AnyPublisher<String, any Error> = text.eraseToAnyPublisher()
  // expected-warning @+1 {{use of protocol 'Error' as a type must be written 'any Error'}}
  let _: AnyPublisher<String, Error> = text.mapError { $0 }.eraseToAnyPublisher()
}
