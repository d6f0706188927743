/// A comparison of two values of a test, as one expects of an expectation.
///
/// Values are compared with `==` if they are `Equatable`, and part by part otherwise. NaN equals
/// NaN, also in a set or another part of a value. An object is the same as itself, and `==` alone
/// decides about two objects. Functions, and values that show other parts than they have, cannot be
/// compared without `==`.
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
    if type(of: lhs) is AnyClass, type(of: rhs) is AnyClass { return compareObjects(lhs, rhs) }
    // First, since nil of one type is also nil of another.
    guard type(of: lhs) == type(of: rhs) else { return isSame = false }
    if let left = lhs as? any Equatable {
      if left.isEqual(to: rhs) { return }
      guard MarbleParts.haveNaN(lhs) else { return isSame = false }
      steps.append(.needsNaN(since: countOfNaN))
    }
    if let left = lhs as? [AnyHashable: Any], let right = rhs as? [AnyHashable: Any] {
      compareEntries(left, right)
    } else if let left = lhs as? Set<AnyHashable>, let right = rhs as? Set<AnyHashable> {
      compareElements(
        left.subtracting(right).map(\.base), right.subtracting(left).map(\.base))
    } else {
      compareParts(lhs, rhs)
    }
  }

  private mutating func compareObjects(_ lhs: Any, _ rhs: Any) {
    if lhs as AnyObject === rhs as AnyObject {
      if MarbleParts.isUnequalToItself(lhs) { countOfNaN += 1 }
    } else if !MarbleParts.areEqualObjects(lhs, rhs) {
      leave(lhs)
    }
  }

  /// Compares dictionaries, whose entries have no order.
  private mutating func compareEntries(_ lhs: [AnyHashable: Any], _ rhs: [AnyHashable: Any]) {
    guard lhs.count == rhs.count else { return isSame = false }
    for (key, value) in lhs {
      if let other = rhs[key] { steps.append(.pair(value, other)) }
    }
    compareElements(
      lhs.filter { rhs[$0.key] == nil }.map { ($0.key.base, $0.value) },
      rhs.filter { lhs[$0.key] == nil }.map { ($0.key.base, $0.value) })
  }

  /// Compares elements without an order that are equal to none of the other side.
  private mutating func compareElements(_ lhs: [Any], _ rhs: [Any]) {
    guard lhs.count == rhs.count else { return isSame = false }
    // In the order of their texts, the first element is nearly always the one that is the same.
    var others = rhs.map { (text: "\($0)", value: $0) }.sorted { $0.text > $1.text }
    for (_, value) in lhs.map({ (text: "\($0)", value: $0) }).sorted(by: { $0.text < $1.text }) {
      guard
        let index = others.lastIndex(where: { MarbleComparison(value, $0.value).isSame })
      else { return isSame = false }
      others.remove(at: index)
      countOfNaN += 1
    }
  }

  private mutating func compareParts(_ lhs: Any, _ rhs: Any) {
    // What such a value shows need not be all that it is.
    if lhs is any CustomReflectable, !(lhs is any MarbleContainer) { return leave(lhs) }
    let (left, right) = (Mirror(reflecting: lhs), Mirror(reflecting: rhs))
    switch left.displayStyle {
    case .enum where left.children.isEmpty || right.children.isEmpty:
      guard left.children.count == right.children.count, "\(lhs)" == "\(rhs)" else {
        return isSame = false
      }
      if !MarbleParts.areSameCases(lhs, rhs) { leave(lhs) }
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
