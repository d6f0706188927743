/// What a case adds its values to, so that they are used and can be compared.
///
/// A pointer, so that adding costs the same for all: a class's property would be checked for
/// exclusive access in one module and not in another.
public final class Sum: @unchecked Sendable {
  // One thread at a time adds; a lock would be what is measured.
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
