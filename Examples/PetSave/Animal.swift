public import Foundation

/// An animal that waits in a shelter.
public nonisolated struct Animal: Decodable, Sendable, Hashable {
  public let id: Int
  public let name: String
  public let type: String
  public let age: String
  public let description: String?
  public let publishedAt: Date
}

/// Where a page stands among all.
public nonisolated struct Pagination: Decodable, Sendable, Hashable {
  public let countPerPage: Int
  public let totalCount: Int
  public let currentPage: Int
  public let totalPages: Int
}

/// A page of animals, as the server wraps it.
public nonisolated struct AnimalsContainer: Decodable, Sendable, Hashable {
  public let animals: [Animal]
  public let pagination: Pagination
}
