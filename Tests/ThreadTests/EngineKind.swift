import Fixtures
import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit

/// The engines that can be tried on this platform.
enum EngineKind: CaseIterable, Sendable {
  #if os(Linux)
    case curl
  #endif
  case urlSession

  func make(maxConnections: Int = 6, maxBodyBytes: Int = 1 << 20) throws -> any HTTPEngine {
    var limits = TransportLimits()
    limits.bodyBytes = maxBodyBytes
    return try make(maxConnections: maxConnections, limits: limits)
  }

  func make(maxConnections: Int = 6, limits: TransportLimits) throws -> any HTTPEngine {
    switch self {
    #if os(Linux)
      case .curl:
        var configuration = CurlConfiguration()
        configuration.maxConnectionsPerHost = maxConnections
        configuration.limits = limits
        configuration.security.proxy = .none
        return try CurlEngine(configuration: configuration)
    #endif
    case .urlSession:
      var configuration = URLSessionEngineConfiguration()
      configuration.maxConnectionsPerHost = maxConnections
      configuration.limits = limits
      return URLSessionEngine(configuration: configuration)
    }
  }
}

extension HTTPEngine {
  /// Sends a request and waits for its end.
  func result(_ request: EngineRequest) async -> Result<EngineResponse, TransportError> {
    await withCheckedContinuation { continuation in
      _ = start(request) { continuation.resume(returning: $0.whole) }
    }
  }

  /// Sends requests one after the other, each as the one before it ends, and waits for all.
  ///
  /// A test that waited in between could leave a connection idle for longer than an engine keeps
  /// it, where the machine is busy with a thousand others.
  func results(
    _ requests: [EngineRequest]
  ) async -> [Result<EngineResponse, TransportError>] {
    await withCheckedContinuation { continuation in
      send(requests[...], after: []) { continuation.resume(returning: $0) }
    }
  }

  private func send(
    _ requests: ArraySlice<EngineRequest>, after results: [Result<EngineResponse, TransportError>],
    _ finish: @escaping @Sendable ([Result<EngineResponse, TransportError>]) -> Void
  ) {
    guard let request = requests.first else { return finish(results) }
    _ = start(request) { self.send(requests.dropFirst(), after: results + [$0.whole], finish) }
  }

  /// As ``results(_:)`` does, where all have a response.
  func responses(_ requests: [EngineRequest]) async throws -> [EngineResponse] {
    try await results(requests).map { try $0.get() }
  }

  /// Sends a request and waits for its response.
  func response(_ request: EngineRequest) async throws -> EngineResponse {
    try await result(request).get()
  }

  /// Sends a request and waits for its fault; nil if there was a response.
  func fault(_ request: EngineRequest) async -> TransportError? {
    switch await result(request) {
    case .success: return nil
    case .failure(let fault):
      fault.expectTrueWord()
      return fault
    }
  }

  /// Ends the engine and waits until its threads and connections are gone.
  func stop() async {
    await withCheckedContinuation { continuation in
      shutdown { continuation.resume() }
    }
  }
}

extension Result<EngineResponse, TransportError> {
  /// The fault alone, where the body of a response cannot be read.
  var whole: Self {
    guard case .success(let response) = self, let fault = response.fault else { return self }
    return .failure(fault)
  }
}
