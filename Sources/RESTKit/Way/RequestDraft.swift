import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The description of a request by a verb or an endpoint, from which each attempt makes a request.
struct RequestDraft: Sendable {
  /// A request that was made, before its modifiers in tasks.
  struct Made: Sendable {
    var request: URLRequest
    /// The body, if it must not be in memory.
    var body: RequestBody?
    /// The path without its values; nil if it is unknown or was not requested.
    var urlTemplate: String?
    /// Removes the API's own secrets from a request that goes to another origin; nil without any
    /// fields of the API.
    var keepSecrets: (@Sendable (inout URLRequest) -> Void)?
  }

  let authorization: RequestAuthorization
  /// The URL that replaces the described one; nil to keep that.
  private var target: URL?
  private let making: @Sendable (_ target: URL?, _ wantsTemplate: Bool) throws -> Made

  init(
    authorization: RequestAuthorization,
    making: @escaping @Sendable (_ target: URL?, _ wantsTemplate: Bool) throws -> Made
  ) {
    self.authorization = authorization
    self.making = making
  }

  /// Makes the request, with the template of its path if `wantsTemplate` is true.
  func make(wantsTemplate: Bool = false) throws -> Made { try making(target, wantsTemplate) }

  /// Returns the draft of the same request with another URL.
  func at(_ url: URL) -> RequestDraft {
    var draft = self
    draft.target = url
    return draft
  }
}
