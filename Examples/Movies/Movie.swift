/// A movie.
public nonisolated struct Movie: Codable, Sendable, Hashable {
  public let id: Int
  public let title: String
  public let overview: String
  public let voteAverage: Double
}

/// A page of the movies with the best ratings.
public nonisolated struct TopRated: Codable, Sendable, Hashable {
  public let page: Int
  public let results: [Movie]
}
