/// What a stream sends, as a value: a value, or how it ended.
@frozen public enum Signal<Value: Sendable, Failure: Error>: Sendable {
  case value(Value)
  case completion(Subscribers.Completion<Failure>)
}

extension Signal: Equatable where Value: Equatable, Failure: Equatable {}
extension Signal: Hashable where Value: Hashable, Failure: Hashable {}
