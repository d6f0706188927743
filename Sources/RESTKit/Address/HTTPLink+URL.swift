import Foundation

extension HTTPLink {
  /// The target as a URL; nil where it is no http or https URL of a host.
  ///
  /// What may not stand in a URL is escaped; escapes that are there stay as they are. User info is left
  /// in for the caller to refuse.
  ///
  /// - Parameter base: What a relative reference is resolved against (RFC 3986 §5.2): the URL that
  ///   answered, ``RESTResponse/url``.
  public func url(relativeTo base: URL) -> URL? {
    // The empty reference means the base itself, which is no redirect but may be a link.
    RedirectTarget.url(target.isEmpty ? base.absoluteString : target, from: base)
  }

  /// Whether the link starts from the resource at a URL, and not from another one that its anchor names.
  func starts(from resource: URL) -> Bool {
    guard let anchor, !anchor.isEmpty else { return true }
    guard let start = RedirectTarget.url(anchor, from: resource) else { return false }
    return start.withoutFragment == resource.withoutFragment
  }
}

extension URL {
  /// The text up to a fragment, by which two requests are told apart.
  var withoutFragment: Substring {
    let text = absoluteString
    return text.prefix { $0 != "#" }
  }
}
