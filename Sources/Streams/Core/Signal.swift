/// A signal of a stream as a value: one of the stream's values, or its completion.
@frozen public enum Signal<Value: Sendable, Failure: Error>: Sendable {
  case value(Value)
  case completion(Subscribers.Completion<Failure>)
}

extension Signal: Equatable where Value: Equatable, Failure: Equatable {}
extension Signal: Hashable where Value: Hashable, Failure: Hashable {}
