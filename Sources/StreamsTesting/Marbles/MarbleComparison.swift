/// A comparison of two values of a test, as one expects of an expectation.
///
/// Values are compared with `==` if they are `Equatable`, and part by part otherwise. NaN equals
/// NaN. Objects and functions without `==` have no parts to go by: an object is the same only as
/// itself.
struct MarbleComparison {
  private enum Step {
    case pair(Any, Any)
    /// The end of the parts of a value that is not `==`: only a NaN among them explains it.
    case needsNaN(since: Int)
  }

  /// Whether the values are the same.
  private(set) var isSame = true
  /// The type that would have to be `Equatable` to tell.
  private(set) var undecided: String?
  private var steps: [Step]
  private var countOfNaN = 0

  // The steps wait in a list, since values can be nested as deeply as a list of the user is long.
  init<Value>(_ lhs: Value, _ rhs: Value) {
    steps = [.pair(lhs, rhs)]
    while isSame, let step = steps.popLast() {
      switch step {
      case .pair(let lhs, let rhs): compare(lhs, rhs)
      case .needsNaN(let count): isSame = countOfNaN > count
      }
    }
  }

  private mutating func compare(_ lhs: Any, _ rhs: Any) {
    if let left = lhs as? any FloatingPoint, let right = rhs as? any FloatingPoint,
      left.isNaN, right.isNaN, type(of: lhs) == type(of: rhs)
    {
      countOfNaN += 1
      return
    }
    if let left = lhs as? any Equatable {
      if left.isEqual(to: rhs) { return }
      steps.append(.needsNaN(since: countOfNaN))
    }
    guard type(of: lhs) == type(of: rhs) else { return isSame = false }
    if type(of: lhs) is AnyClass {
      if lhs as AnyObject !== rhs as AnyObject { leave(lhs) }
      return
    }
    if let left = lhs as? [AnyHashable: Any], let right = rhs as? [AnyHashable: Any] {
      return compareEntries(left, right)
    }
    compareParts(lhs, rhs)
  }

  /// Compares dictionaries, whose entries have no order.
  private mutating func compareEntries(_ lhs: [AnyHashable: Any], _ rhs: [AnyHashable: Any]) {
    guard lhs.count == rhs.count else { return isSame = false }
    for (key, value) in lhs {
      guard let other = rhs[key] else { return isSame = false }
      steps.append(.pair(value, other))
    }
  }

  private mutating func compareParts(_ lhs: Any, _ rhs: Any) {
    let (left, right) = (Mirror(reflecting: lhs), Mirror(reflecting: rhs))
    switch left.displayStyle {
    case .enum where left.children.isEmpty || right.children.isEmpty:
      isSame = left.children.count == right.children.count && "\(lhs)" == "\(rhs)"
    case .struct where lhs is any CustomReflectable:
      // What such a value shows need not be all that it is.
      leave(lhs)
    case .none:
      if let left = lhs as? Any.Type, let right = rhs as? Any.Type {
        isSame = left == right
      } else {
        leave(lhs)
      }
    default:
      guard left.children.count == right.children.count else { return isSame = false }
      for (left, right) in zip(left.children, right.children) {
        guard left.label == right.label else { return isSame = false }
        steps.append(.pair(left.value, right.value))
      }
    }
  }

  private mutating func leave(_ value: Any) {
    isSame = false
    if !(value is any Equatable) { undecided = "\(type(of: value))" }
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { self == other as? Self }
}
