/// A property whose value comes from ``Dependencies/current`` when its owner is created.
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
