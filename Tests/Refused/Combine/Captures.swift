// What closures capture, as it is written with Combine: the first table of Docs/FromCombine.md, "The compiler says".
import Dispatch
import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Token: Sendable {
  let text: String
}

func send(_ request: URLRequest) -> AnyPublisher<Data, any Error> {
  Empty().eraseToAnyPublisher()
}

func authorized(_ urlRequest: URLRequest, with token: Token) -> AnyPublisher<Data, any Error> {
  var request = urlRequest
  // expected-error @+1 {{concurrently-executed local function 'withToken' must be marked as '@Sendable'}}
  func withToken(_ token: Token) -> AnyPublisher<Data, any Error> {
    request.setValue(token.text, forHTTPHeaderField: "X-Token")
    return send(request)
  }
  // expected-error @+1 {{capture of 'withToken' with non-Sendable type '(Token) -> AnyPublisher<Data, any Error>' in a '@Sendable' closure}}
  return Deferred { withToken(token) }.eraseToAnyPublisher()
}

func inGerman(_ urlRequest: URLRequest) -> AnyPublisher<Data, any Error> {
  var request = urlRequest
  request.setValue("de", forHTTPHeaderField: "Accept-Language")
  // expected-error @+1 {{reference to captured var 'request' in concurrently-executing code}}
  return Deferred { send(request) }.eraseToAnyPublisher()
}

func once(_ text: PassthroughSubject<String, Never>) {
  var subscription: AnyCancellable?
  // expected-error @+1 {{reference to captured var 'subscription' in concurrently-executing code}}
  subscription = text.sink { _ in subscription?.cancel() }
}

extension Publisher {
  func end(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) -> AnyCancellable {
    // expected-error @+1 {{passing non-Sendable parameter 'receiveCompletion' to function expecting a '@Sendable' closure}}
    sink(receiveCompletion: receiveCompletion) { _ in }
  }
}

func run(_ work: @escaping () -> Void, on queue: DispatchQueue) {
  // expected-error @+1 {{passing non-Sendable parameter 'work' to function expecting a '@Sendable' closure}}
  queue.async(execute: work)
}

@MainActor final class RemoteImage {
  let states = CurrentValueSubject<Int, Never>(0)

  func load() {}
  func cancel() {}

  func loaded() -> AnyPublisher<Int, Never> {
    Deferred {
      // expected-error @+1 {{call to main actor-isolated instance method 'load()' in a synchronous nonisolated context}}
      self.load()
      return self.states
    }
    // expected-error @+1 {{call to main actor-isolated instance method 'cancel()' in a synchronous nonisolated context}}
    .handleEvents(receiveCancel: { self.cancel() })
    .eraseToAnyPublisher()
  }
}

func latest(_ numbers: PassthroughSubject<Int, Never>) {
  // expected-error @+1 {{no exact matches in call to instance method 'switchToLatest'}}
  _ = numbers.switchToLatest()
}
