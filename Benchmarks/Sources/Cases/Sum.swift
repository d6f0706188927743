/// A sum of a case's values, so that they are used and can be compared.
///
/// It is a pointer, so that an addition costs the same for all. A class's property would be checked
/// for exclusive access in one module and not in another.
public final class Sum: @unchecked Sendable {
  // One thread at a time adds. A lock would be measured.
  @usableFromInline let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  public init() {
    total.initialize(to: 0)
  }

  deinit {
    total.deallocate()
  }

  @inlinable
  public var value: Int {
    get { total.pointee }
    set { total.pointee = newValue }
  }

  @inlinable
  public func add(_ value: Int) {
    total.pointee &+= value
  }
}
