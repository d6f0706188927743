// The types of an app as they are written with Combine: the second table of Docs/FromCombine.md, "The compiler says".
import Foundation
import Streams

public struct Scope {
  let name: String
}

enum ShopError: Error {
  // expected-warning @+1 {{associated value 'missingScope' of 'Sendable'-conforming enum 'ShopError' has non-Sendable type 'Scope'}}
  case missingScope(Scope)
}

class WebService {
  var headers: [String: String] = [:]

  func load(_ id: Int) -> AnyPublisher<Data, Never> { Empty().eraseToAnyPublisher() }

  func all(_ ids: PassthroughSubject<Int, Never>) -> AnyPublisher<Data, Never> {
    // expected-error @+1 {{capture of 'self' with non-Sendable type 'WebService' in a '@Sendable' closure}}
    ids.flatMap { self.load($0) }.eraseToAnyPublisher()
  }
}

// expected-error @+1 {{non-final class 'TokenService' cannot conform to the 'Sendable' protocol}}
class TokenService: Sendable {}

final class Wrapper<Output> {
  // expected-error @+1 {{type 'Output' does not conform to the 'Sendable' protocol}}
  let subject: PassthroughSubject<Output, Never>

  init(_ subject: PassthroughSubject<Output, Never>) { self.subject = subject }
}

struct Answer<Body> {
  let body: Body
}

// expected-error @+1 {{type 'Answer<Body>' does not conform to the 'Sendable' protocol}}
func answers<Body>(_ answer: Answer<Body>) -> AnyPublisher<Answer<Body>, Never> {
  // expected-error @+1 3 {{type 'Answer<Body>' does not conform to the 'Sendable' protocol}}
  Just(answer).eraseToAnyPublisher()
}

func text<Value: Decodable>(
  of type: Value.Type, in data: PassthroughSubject<Data, any Error>
) -> AnyPublisher<String, any Error> {
  // expected-warning @+1 {{capture of non-Sendable type 'Value.Type' in an isolated closure}}
  data.tryMap { "\(try JSONDecoder().decode(Value.self, from: $0))" }.eraseToAnyPublisher()
}

func objects(_ data: PassthroughSubject<Data, any Error>) {
  // expected-error @+1 {{type 'Any' does not conform to the 'Sendable' protocol}}
  _ = data.tryMap { try JSONSerialization.jsonObject(with: $0) }
}

func closures(_ text: PassthroughSubject<String, Never>) {
  // expected-error @+1 {{type '() -> ()' does not conform to the 'Sendable' protocol}}
  _ = text.map { name in { print(name) } }
  // expected-error @+1 2 {{type '() -> Void' does not conform to the 'Sendable' protocol}}
  _ = PassthroughSubject<() -> Void, Never>()
}

enum Log {
  // expected-error @+1 {{static property 'isOn' is not concurrency-safe because it is nonisolated global shared mutable state}}
  static var isOn = false
  // expected-error @+1 {{static property 'dates' is not concurrency-safe because non-'Sendable' type 'ISO8601DateFormatter' may have shared mutable state}}
  static let dates = ISO8601DateFormatter()
}
