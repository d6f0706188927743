/// An object for closures to capture: whether it is still there tells whether they are.
final class ReleaseProbe: Sendable {
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void = {}) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }

  /// For a closure to call, so that it captures the probe.
  func touch() {}
}

/// A weak reference that can be handed around.
struct Weak<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) {
    self.object = object
  }

  var isReleased: Bool { object == nil }
}
