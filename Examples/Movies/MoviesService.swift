public import RESTKit

/// The part of the movie database that screens need, which mocks implement in tests.
public nonisolated protocol MoviesServiceable: Sendable {
  func getTopRated() async -> Result<TopRated, RequestError>
  func getMovieDetail(id: Int) async -> Result<Movie, RequestError>
}

/// The endpoints of the movie database.
enum MoviesEndpoint: Endpoint {
  case topRated(accessToken: String)
  case movieDetail(id: Int, accessToken: String)

  var path: ResourcePath {
    switch self {
    case .topRated: "3/movie/top_rated"
    case .movieDetail(let id, _): "3/movie/\(id)"
    }
  }

  var method: HTTPMethod { .get }

  var header: HTTPHeaders {
    switch self {
    case .topRated(let accessToken), .movieDetail(_, let accessToken):
      ["Authorization": "Bearer \(accessToken)", "Accept": "application/json"]
    }
  }

  var body: [String: String]? { nil }
}

/// A client of the movie database.
public struct MoviesService: HTTPClient, MoviesServiceable {
  public let transport: any Transport
  private let accessToken: String

  public init(accessToken: String, transport: any Transport = .shared) {
    self.accessToken = accessToken
    self.transport = transport
  }

  public func getTopRated() async -> Result<TopRated, RequestError> {
    await sendRequest(
      endpoint: MoviesEndpoint.topRated(accessToken: accessToken), responseModel: TopRated.self)
  }

  public func getMovieDetail(id: Int) async -> Result<Movie, RequestError> {
    await sendRequest(
      endpoint: MoviesEndpoint.movieDetail(id: id, accessToken: accessToken),
      responseModel: Movie.self)
  }
}
