public import Foundation

/// A dog that needs a home.
public nonisolated struct Dog: Decodable, Sendable, Hashable {
  public let id: String
  public let sellerID: String
  public let about: String
  public let birthday: Date
  public let breed: String
  public let breederRating: Double
  public let cost: Decimal
  public let created: Date
  public let imageURL: URL
  public let name: String
}
