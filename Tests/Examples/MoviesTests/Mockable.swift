import Foundation
import Movies
import RESTKitTesting
import Testing

/// Takes its responses from JSON files.
protocol Mockable {}

extension Mockable {
  func data(ofFile name: String) throws -> Data {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/\(name).json")
    return try Data(contentsOf: file)
  }

  func loadJSON<Model: Decodable>(_ name: String, as model: Model.Type) throws -> Model {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(model, from: data(ofFile: name))
  }
}

/// A service without any network, as screens use it in their tests.
struct MoviesServiceMock: MoviesServiceable, Mockable {
  func getTopRated() async -> Result<TopRated, RequestError> {
    Result { try loadJSON("top_rated_response", as: TopRated.self) }.mapError { _ in .decode }
  }

  func getMovieDetail(id: Int) async -> Result<Movie, RequestError> {
    Result { try loadJSON("movie_response", as: Movie.self) }.mapError { _ in .decode }
  }
}
