/// An object for closures to capture: whether it is still there tells whether they are.
package final class ReleaseProbe: Sendable {
  private let onRelease: @Sendable () -> Void

  package init(onRelease: @escaping @Sendable () -> Void = {}) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }

  /// For a closure to call, so that it captures the probe.
  package func touch() {}
}

/// A weak reference that can be handed around.
package struct Weak<Object: AnyObject> {
  package weak var object: Object?

  package init(_ object: Object) {
    self.object = object
  }

  package var isReleased: Bool { object == nil }
}
