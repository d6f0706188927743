import Foundation
public import RESTKit

/// An endpoint of a web service: all parts of its URL and its request.
public nonisolated protocol Endpoint: Sendable {
  var scheme: String { get }
  var host: String { get }
  var path: ResourcePath { get }
  var method: HTTPMethod { get }
  var header: HTTPHeaders { get }
  var body: [String: String]? { get }
}

nonisolated extension Endpoint {
  public var scheme: String { "https" }
  public var host: String { "api.themoviedb.org" }
}
