import Foundation

extension RESTResponse {
  /// The first link of this resource with a relation type, such as `next` (RFC 8288); nil where there
  /// is none.
  ///
  /// A link whose `anchor` names another resource is none of this one's.
  ///
  /// - Parameter relation: A registered relation type, or the URL of one; its case does not count.
  public func link(_ relation: String) -> HTTPLink? {
    headers.links.first { $0.isRelated(by: relation) && $0.starts(from: url) }
  }
}
