import Foundation

extension HTTPLink {
  /// Returns the target as a URL; nil if it is not an http or https URL with a host.
  ///
  /// Characters that are not allowed in a URL are escaped. Existing escapes stay unchanged. User
  /// info remains, so that the caller can refuse it.
  ///
  /// - Parameter base: The base of a relative reference (RFC 3986 §5.2): the URL that answered,
  ///   ``RESTResponse/url``.
  public func url(relativeTo base: URL) -> URL? {
    // An empty reference means the base itself, which is no redirect but may be a link.
    RedirectTarget.url(target.isEmpty ? base.absoluteString : target, from: base)
  }

  /// Whether the link starts from the resource at a URL, and not from another one in its anchor.
  func starts(from resource: URL) -> Bool {
    guard let anchor, !anchor.isEmpty else { return true }
    guard let start = RedirectTarget.url(anchor, from: resource) else { return false }
    return start.withoutFragment == resource.withoutFragment
  }
}

extension URL {
  /// The text before a fragment.
  ///
  /// Two requests with the same text are for the same resource.
  package var withoutFragment: Substring {
    let text = absoluteString
    return text.prefix { $0 != "#" }
  }
}
