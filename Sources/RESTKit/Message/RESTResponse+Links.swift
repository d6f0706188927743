import Foundation

extension RESTResponse {
  /// Returns the first link of this resource with a relation type, such as `next` (RFC 8288); nil if
  /// there is none.
  ///
  /// A link whose `anchor` names another resource does not count.
  ///
  /// - Parameter relation: A registered relation type, or the URL of one, in upper or lower case.
  public func link(_ relation: String) -> HTTPLink? {
    headers.links.first { $0.isRelated(by: relation) && $0.starts(from: url) }
  }
}
