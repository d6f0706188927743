/// A property that is taken from ``Dependencies/current`` when its owner is made.
///
/// ```swift
/// @DependencyInjected(\.profileService) private var service
/// ```
@propertyWrapper public struct DependencyInjected<Value> {
  public let wrappedValue: Value

  public init(_ path: KeyPath<Dependencies, Value>) {
    wrappedValue = Dependencies.current[keyPath: path]
  }
}
