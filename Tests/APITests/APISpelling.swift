import Fixtures
import Streams
import StreamsTesting

@testable import RESTKit

/// The means that an API uses instead of the defaults.
struct APIMeans: Sendable {
  /// A URL without a server: calls over the shared transport fail.
  static let baseURL = "http://127.0.0.1:1"

  let scheduler = TestScheduler()
  let transport: ScriptedTransport
  let retry: RetryPolicy
  let session: TokenSession

  init() throws {
    transport = ScriptedTransport(.status(503), .status(200), on: scheduler)
    retry = .test(scheduler)
    session = TokenSession(grant: ClosureGrant { _ in Empty<TokenResponse, any Error>() })
    try session.signIn(Credential(accessToken: "token"))
  }
}

/// The ways to say what an API uses.
enum APISpelling: CaseIterable, Sendable {
  case required, concrete, generic, opaque, computed, reference, actor, onMainActor, extended
  case inherited, inheritedConcrete, inheritedAndReplaced, wrapped, wrappedConcrete

  func api(_ means: APIMeans) -> any RESTAPI {
    switch self {
    case .required: RequiredAPI(means)
    case .concrete: ConcreteAPI(means)
    case .generic: GenericAPI(means: means, transport: means.transport)
    case .opaque: OpaqueAPI(means: means, retry: means.retry, session: means.session)
    case .computed: ComputedAPI(means: means)
    case .reference: ReferenceAPI(means)
    case .actor: ActorAPI(means)
    case .onMainActor: MainActorAPI(means)
    case .extended: ExtendedAPI(means: means)
    case .inherited: InheritingAPI(means: means)
    case .inheritedConcrete: ConcreteInheritingAPI(means: means)
    case .inheritedAndReplaced: ReplacingAPI(means)
    case .wrapped: WrappingAPI(api: RequiredAPI(means))
    case .wrappedConcrete: WrappingAPI(api: ConcreteAPI(means))
    }
  }
}

/// The types of the requirements.
struct RequiredAPI: RESTAPI {
  let baseURL = APIMeans.baseURL
  let transport: any Transport
  let retry: RetryPolicy?
  let session: TokenSession?

  init(_ means: APIMeans) {
    transport = means.transport
    retry = means.retry
    session = means.session
  }
}

/// The types of the values.
struct ConcreteAPI: RESTAPI {
  let baseURL = APIMeans.baseURL
  let transport: ScriptedTransport
  let retry: RetryPolicy
  let session: TokenSession

  init(_ means: APIMeans) {
    transport = means.transport
    retry = means.retry
    session = means.session
  }
}

private struct GenericAPI<T: Transport>: RESTAPI {
  let baseURL = APIMeans.baseURL
  let means: APIMeans
  let transport: T
  var retry: RetryPolicy { means.retry }
  var session: TokenSession? { means.session }
}

private struct OpaqueAPI: RESTAPI {
  let baseURL = APIMeans.baseURL
  let means: APIMeans
  var transport: some Transport { means.transport }
  let retry: RetryPolicy
  let session: TokenSession?
}

private struct ComputedAPI: RESTAPI {
  let baseURL = APIMeans.baseURL
  let means: APIMeans
  var transport: any Transport { means.transport }
  var retry: RetryPolicy? { means.retry }
  var session: TokenSession? { means.session }
}

private final class ReferenceAPI: RESTAPI {
  let baseURL = APIMeans.baseURL
  let transport: ScriptedTransport
  let retry: RetryPolicy?
  let session: TokenSession

  init(_ means: APIMeans) {
    transport = means.transport
    retry = means.retry
    session = means.session
  }
}

private actor ActorAPI: RESTAPI {
  nonisolated let baseURL = APIMeans.baseURL
  nonisolated let transport: ScriptedTransport
  nonisolated let retry: RetryPolicy
  nonisolated let session: TokenSession?

  init(_ means: APIMeans) {
    transport = means.transport
    retry = means.retry
    session = means.session
  }
}

@MainActor
private final class MainActorAPI: RESTAPI {
  nonisolated let baseURL = APIMeans.baseURL
  nonisolated let transport: any Transport
  nonisolated let retry: RetryPolicy
  nonisolated let session: TokenSession

  nonisolated init(_ means: APIMeans) {
    transport = means.transport
    retry = means.retry
    session = means.session
  }
}

private struct ExtendedAPI {
  let baseURL = APIMeans.baseURL
  let means: APIMeans
  var transport: ScriptedTransport { means.transport }
}

extension ExtendedAPI: RESTAPI {
  var retry: RetryPolicy { means.retry }
  var session: TokenSession { means.session }
}

/// A protocol that has defaults of its own.
private protocol MeansAPI: RESTAPI {
  var means: APIMeans { get }
}

extension MeansAPI {
  var transport: any Transport { means.transport }
  var retry: RetryPolicy? { means.retry }
  var session: TokenSession? { means.session }
}

private struct InheritingAPI: MeansAPI {
  let baseURL = APIMeans.baseURL
  let means: APIMeans
}

private protocol ConcreteMeansAPI: RESTAPI {
  var means: APIMeans { get }
}

extension ConcreteMeansAPI {
  var transport: ScriptedTransport { means.transport }
  var retry: RetryPolicy { means.retry }
  var session: TokenSession { means.session }
}

private struct ConcreteInheritingAPI: ConcreteMeansAPI {
  let baseURL = APIMeans.baseURL
  let means: APIMeans
}

/// One whose defaults are as strict as the library's.
private protocol DefaultingAPI: RESTAPI {}

extension DefaultingAPI where TransportProperty == any Transport {
  var transport: any Transport { .shared }
}

extension DefaultingAPI where RetryProperty == RetryPolicy? {
  var retry: RetryPolicy? { RetryPolicy(maxAttempts: 1) }
}

extension DefaultingAPI where SessionProperty == TokenSession? {
  var session: TokenSession? { nil }
}

private struct ReplacingAPI: DefaultingAPI {
  let baseURL = APIMeans.baseURL
  let transport: ScriptedTransport
  let retry: RetryPolicy
  let session: TokenSession

  init(_ means: APIMeans) {
    transport = means.transport
    retry = means.retry
    session = means.session
  }
}

private struct WrappingAPI<API: RESTAPI>: RESTAPI {
  let baseURL = APIMeans.baseURL
  let api: API
  var transport: any Transport { api.transport }
  var retry: RetryPolicy? { api.retry }
  var session: TokenSession? { api.session }
}
