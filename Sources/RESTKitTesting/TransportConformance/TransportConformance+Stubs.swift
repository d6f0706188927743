import Foundation
import RESTKit
import Streams

extension TransportConformance {
  /// Creates a check of stubs, whose scripts are the answers of the kit's servers.
  ///
  /// No such server runs. Each request is answered with the script of one response, by the rules of
  /// all scripts.
  ///
  /// - Parameters:
  ///   - subject: The name of the transport in the report.
  ///   - carrier: A closure that makes the transport over whose socket the scripts are played; nil
  ///     for scripts in memory.
  package init(
    ofStubs subject: String,
    over carrier: (@Sendable (TransportLimits) throws -> any Transport)? = nil
  ) {
    let servers = StubbedServers()
    self.init(subject) { limits in
      let world: any StubWorld =
        if let carrier {
          try StubSocket(transport: carrier(limits)) { servers.gates.gate(of: $0) }
        } else {
          StubMemory(scheduler: servers.gates, limits: limits)
        }
      return StubTransport(answering: servers, in: world)
    }
    serve = { _, handler in servers.add(handler) }
    self =
      skipping(.lifetime, because: "a script has no connection that could stay open")
      .skipping(.earlyResponse, because: "a stub is matched with the whole request")
  }
}

extension StubTransport {
  fileprivate convenience init(answering servers: StubbedServers, in world: any StubWorld) {
    let any = StubStep(
      request: StubRequest(), statusCode: 200, headers: [:], result: .success(Data()),
      delay: .zero, location: StubLocation(), uses: 0...Int.max)
    self.init(
      log: StubLog([StubAPIResponse(steps: [any])], location: StubLocation()),
      world: StubbedWorld(world, servers))
  }
}
