public import Foundation

/// An animal in a shelter.
public nonisolated struct Animal: Decodable, Sendable, Hashable {
  public let id: Int
  public let name: String
  public let type: String
  public let age: String
  public let description: String?
  public let publishedAt: Date
}

/// The position of a page among all pages.
public nonisolated struct Pagination: Decodable, Sendable, Hashable {
  public let countPerPage: Int
  public let totalCount: Int
  public let currentPage: Int
  public let totalPages: Int
}

/// A page of animals, in the form that the server sends.
public nonisolated struct AnimalsContainer: Decodable, Sendable, Hashable {
  public let animals: [Animal]
  public let pagination: Pagination
}
