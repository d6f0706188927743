import Foundation
import RESTKitTesting
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The proof that curl commands send requests as they are.
package enum CurlProof {
  /// Draws requests and runs their commands in a shell.
  ///
  /// A server compares what it gets with the requests, byte for byte. All shells must read the same
  /// words.
  ///
  /// - Parameters:
  ///   - seed: The seed of the requests.
  ///   - count: The number of the requests.
  ///   - shell: The shell in which curl runs.
  ///   - command: Returns the command of a request.
  package static func run(
    seed: UInt64, requests count: Int, in shell: String, command: (URLRequest) -> String
  ) throws {
    let server = try MockServer(bodyLimit: .max) { _ in MockResponse(status: 204) }
    defer { server.stop() }
    var generator = SeededGenerator(seed: seed)
    let requests = (0..<count).map { _ in
      DrawnRequest.next(with: &generator, at: server.baseURL)
    }
    let script = CurlScript(requests.map(command))

    let words = try script.words(in: shell)
    for other in CurlScript.shells where other != shell {
      for (index, pair) in zip(words, try script.words(in: other)).enumerated()
      where pair.0 != pair.1 {
        Issue.record("\(other) reads request \(index) of seed \(seed) otherwise than \(shell)")
      }
    }

    try script.send(in: shell)
    let received = server.requests
    #expect(received.count == count)
    for request in received {
      let number = request.value(for: CurlScript.numberField).flatMap { Int($0) } ?? -1
      guard requests.indices.contains(number) else {
        Issue.record("A request without a number")
        continue
      }
      let difference = DrawnRequest.difference(
        of: requests[number], from: request, added: CurlScript.addedFields)
      if let difference {
        Issue.record("\(shell) sent another \(difference), request \(number) of seed \(seed)")
      }
    }
  }
}
