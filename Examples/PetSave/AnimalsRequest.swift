public import Foundation
public import RESTKit

/// A request for a page of animals.
public enum AnimalsRequest: Endpoint {
  public typealias Response = AnimalsContainer

  /// Animals near a place, or all animals.
  case near(page: Int, latitude: Double? = nil, longitude: Double? = nil)
  /// Animals with a name, and optionally with an age and a type.
  case named(String, age: String? = nil, type: String? = nil, page: Int = 1)

  public var path: ResourcePath { "animals" }

  public var query: QueryItems {
    switch self {
    case .near(let page, let latitude, let longitude):
      var query: QueryItems = ["page": "\(page)", "sort": "random"]
      if let latitude, let longitude {
        query.append(name: "location", value: "\(latitude),\(longitude)")
      }
      return query
    case .named(let name, let age, let type, let page):
      return ["name": name, "age": age, "type": type, "page": "\(page)"]
    }
  }

  public var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  /// Returns the request for the next page, or nil after the last one.
  func next(after answer: AnimalsContainer) -> AnimalsRequest? {
    let page = answer.pagination.currentPage + 1
    guard page <= answer.pagination.totalPages else { return nil }
    return switch self {
    case .near(_, let latitude, let longitude):
      .near(page: page, latitude: latitude, longitude: longitude)
    case .named(let name, let age, let type, _):
      .named(name, age: age, type: type, page: page)
    }
  }
}
