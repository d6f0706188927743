import Foundation
import Matrix
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A user whose access tokens live ten seconds, and whose refresh tokens the server takes once.
struct MatrixUser: Sendable {
  /// The address of the server, which `run.sh` sets.
  static let address = ProcessInfo.processInfo.environment["RESTKIT_SYNAPSE_URL"]

  let wire = MatrixWire()
  private let service: MatrixService
  private let refreshes: Refreshes
  private let watching: AnyCancellable

  /// Signs in.
  ///
  /// - Parameters:
  ///   - name: A user that the server knows, with the name as its password. Each test has its own,
  ///     because the limits are for each user.
  ///   - address: The address of the server; nil for that of `run.sh`.
  init(_ name: String, at address: String? = MatrixUser.address) async throws {
    refreshes = Refreshes(try TransportKind.default.makeTransport())
    let transport = ObservedTransport(refreshes)
    watching = transport.callEvents.sink { [wire] in wire.add($0) }
    service = MatrixService(homeserver: try #require(address), transport: transport)
    try await service.signIn(as: name, password: name).value
  }

  /// The refresh tokens that were sent, in order.
  var usedRefreshTokens: [String] { refreshes.tokens.withLock(\.self) }

  /// Repeats a POST that the server has limited, and nothing else.
  private static let limitedPosts = RetryPolicy(
    methods: [], statuses: [429], faults: [], maxRetryAfter: .seconds(60),
    totalTime: .seconds(300))

  /// The user's client, with the policy and the limiter of a test.
  ///
  /// A POST that the server has limited is repeated in any case.
  func client(
    retry: RetryPolicy? = nil, rateLimiter: RateLimiter? = nil
  ) -> MatrixService {
    var client = service
    var policy = retry ?? Self.limitedPosts
    policy.throttledMethods = [.post]
    policy.retryAfter = MatrixError.wait
    client.retry = policy
    client.rateLimiter = rateLimiter
    return client
  }

  /// The texts in a room, the newest first.
  func texts(in room: RoomID) async throws -> [String] {
    try await client().history(of: room).allValues.flatMap { $0.chunk.compactMap(\.body) }
  }
}

/// Notes the refresh tokens that are sent, which no event shows.
private final class Refreshes: Transport {
  let tokens = Lock<[String]>([])
  private let transport: any Transport

  init(_ transport: any Transport) { self.transport = transport }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    if request.url?.lastPathComponent == "refresh",
      let body = request.httpBody.flatMap({ try? JSONDecoder().decode(JSONValue.self, from: $0) }),
      let token = body["refresh_token"]?.string
    {
      tokens.withLock { $0.append(token) }
    }
    return transport.response(for: request)
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    transport.events(for: request, body: body)
  }
}
