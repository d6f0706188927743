/// What a comparison of two values of a test asks about their parts.
enum MarbleParts {
  /// Whether there is a NaN among the parts of a value, or an object that is unequal to itself.
  static func haveNaN(_ value: Any) -> Bool {
    var rest = [value]
    while let value = rest.popLast() {
      if let number = value as? any FloatingPoint {
        if number.isNaN { return true }
      } else if type(of: value) is AnyClass {
        if isUnequalToItself(value) { return true }
      } else if !isWithoutNaN(type(of: value)) {
        if let container = value as? any MarbleContainer, isWithoutNaN(container.elementType) {
          continue
        }
        rest += Mirror(reflecting: value).children.map(\.value)
      }
    }
    return false
  }

  private static func isWithoutNaN(_ type: Any.Type) -> Bool {
    type is any BinaryInteger.Type || type is any StringProtocol.Type || type == Bool.self
  }

  /// Whether an object's `==` says that it is another than itself, as one with a NaN may.
  static func isUnequalToItself(_ object: Any) -> Bool {
    object is any Equatable && !areEqualObjects(object, object)
  }

  /// Whether two objects are equal by the `==` of the nearest class that both have.
  static func areEqualObjects(_ lhs: Any, _ rhs: Any) -> Bool {
    var ancestor: Mirror? = Mirror(reflecting: lhs)
    while let mirror = ancestor {
      if let type = mirror.subjectType as? any Equatable.Type,
        let isEqual = type.areEqual(lhs, rhs)
      {
        return isEqual
      }
      ancestor = mirror.superclassMirror
    }
    return false
  }

  /// Whether two cases without a value, whose texts are equal, are surely the same.
  ///
  /// A text of their own may be that of several cases. Errors also have the number of the case.
  static func areSameCases(_ lhs: Any, _ rhs: Any) -> Bool {
    guard
      lhs is any CustomStringConvertible || lhs is any CustomDebugStringConvertible
        || lhs is any TextOutputStreamable
    else { return true }
    guard let left = lhs as? any Error, let right = rhs as? any Error else { return false }
    return left._code == right._code
  }
}

extension Equatable {
  fileprivate static func areEqual(_ lhs: Any, _ rhs: Any) -> Bool? {
    guard let left = lhs as? Self, let right = rhs as? Self else { return nil }
    return left == right
  }
}

/// A type of the standard library that shows all of its parts, though it describes itself.
protocol MarbleContainer {
  var elementType: Any.Type { get }
}

extension MarbleContainer where Self: Sequence {
  var elementType: Any.Type { Element.self }
}

extension Array: MarbleContainer {}
extension ArraySlice: MarbleContainer {}
extension ContiguousArray: MarbleContainer {}
extension CollectionOfOne: MarbleContainer {}
extension Dictionary: MarbleContainer {}
extension KeyValuePairs: MarbleContainer {}
extension Set: MarbleContainer {}

extension Optional: MarbleContainer {
  var elementType: Any.Type { Wrapped.self }
}
