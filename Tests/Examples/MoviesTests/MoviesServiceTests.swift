import Foundation
import RESTKit
import RESTKitTesting
import Testing

@testable import Movies

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The film database returns films, or messages for users")
struct MoviesServiceTests: Mockable {
  private func service(
    _ path: String, status: Int = 200, _ result: Result<Data, any Error> = .json("{}")
  ) -> (MoviesService, StubTransport) {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.themoviedb.org/3/movie/\(path)"),
        statusCode: status, result: result))
    return (MoviesService(accessToken: "s3cret", transport: stubs), stubs)
  }

  @Test("A film is fetched from its own URL, with the token")
  func detail() async throws {
    let (service, stubs) = service("238", .success(try data(ofFile: "movie_response")))
    let movie = try await service.getMovieDetail(id: 238).get()
    #expect(movie.title == "The Godfather")
    #expect(movie.voteAverage == 8.7)
    let sent = stubs.requests.first
    #expect(sent?.value(forHTTPHeaderField: "Authorization") == "Bearer s3cret")
  }

  @Test("The top-rated films arrive as a page")
  func topRated() async throws {
    let (service, _) = service("top_rated", .success(try data(ofFile: "top_rated_response")))
    #expect(try await service.getTopRated().get().results.map(\.id) == [238, 278])
  }

  @Test(
    "Each class of statuses has its error",
    arguments: [
      (304, RequestError.unexpectedStatusCode), (400, .unexpectedStatusCode), (401, .unauthorized),
      (404, .unexpectedStatusCode), (500, .unexpectedStatusCode), (204, .decode), (200, .decode),
    ])
  func statuses(status: Int, expected: RequestError) async {
    let (service, _) = service("1", status: status)
    #expect(await service.getMovieDetail(id: 1) == .failure(expected))
  }

  @Test("All failures of the network are one error")
  func network() async {
    struct Offline: Error {}
    let (service, _) = service("1", .failure(Offline()))
    #expect(await service.getMovieDetail(id: 1) == .failure(.noResponse))
  }

  @Test("Over a socket, films arrive, and an ended session has its message")
  func socket() async throws {
    let film = StubRequest(.get, urlString: "https://api.themoviedb.org/3/movie/238")
    let stubs = try StubTransport(
      StubAPIResponse(request: film, result: .success(try data(ofFile: "movie_response")))
        .thenRespondWith(request: film, statusCode: 401)
        .thenRespondWith(request: film, result: .fault(.bodyCut)),
      over: SharedTransport())
    let service = MoviesService(accessToken: "s3cret", transport: stubs)
    #expect(try await service.getMovieDetail(id: 238).get().title == "The Godfather")
    #expect(await service.getMovieDetail(id: 238) == .failure(.unauthorized))
    #expect(await service.getMovieDetail(id: 238) == .failure(.noResponse))
    try stubs.verify()
  }

  @Test("A body is sent as JSON, and an invalid URL is its own error")
  func other() async {
    struct Search: Movies.Endpoint {
      var path: ResourcePath
      var method: HTTPMethod { .post }
      var header: HTTPHeaders { [:] }
      var body: [String: String]? { ["query": "Godfather"] }
    }
    struct Client: HTTPClient {
      let transport: any Transport
    }
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "https://api.themoviedb.org/search"), result: .json("[]")))
    let client = Client(transport: stubs)
    #expect(
      await client.sendRequest(endpoint: Search(path: "search"), responseModel: [Movie].self)
        == .success([]))
    #expect(stubs.requests.first?.httpBody == Data(#"{"query":"Godfather"}"#.utf8))
    #expect(
      await client.sendRequest(endpoint: Search(path: "../up"), responseModel: [Movie].self)
        == .failure(.invalidURL))
  }

  @Test("Each error has a message for users")
  func messages() {
    let errors: [RequestError] = [
      .decode, .invalidURL, .noResponse, .unauthorized, .unexpectedStatusCode,
    ]
    #expect(Set(errors.map(\.customMessage)).count == errors.count)
    #expect(RequestError.unauthorized.customMessage == "Your session has expired.")
  }

  @Test("A screen's model works with the mock, without a network")
  func mock() async throws {
    let service: any MoviesServiceable = MoviesServiceMock()
    #expect(try await service.getTopRated().get().page == 1)
    #expect(try await service.getMovieDetail(id: 0).get().id == 238)
  }
}
