import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// snippet: proof
/// Proves that a request's sender has the key, over its token and its bytes.
nonisolated struct RequestProof: Sendable {
  let host: String
  /// HMAC-SHA256 in Base64 with your key, for example from swift-crypto.
  let mac: @Sendable (Data) -> String

  func add(to exchange: inout InterceptedExchange) throws {
    let request = exchange.request
    // A redirect to another host comes here, too.
    guard let url = request.url, url.host() == host else { return }
    guard let body = exchange.bodyData else { throw ProofError.bodyNotInMemory }
    let token = request.value(forHTTPHeaderField: "Authorization") ?? ""
    let text = "\(request.httpMethod ?? "GET") \(url.path())\n\(token)\n"
    exchange.request.setValue(mac(Data(text.utf8) + body), forHTTPHeaderField: "Signature")
  }

  enum ProofError: Error { case bodyNotInMemory }
}
// end

struct InterceptionExamples {
  // snippet: signed
  func makeSignedTransport(
    _ transport: any Transport, _ proof: RequestProof
  ) -> InterceptedTransport {
    transport.intercepted(by: proof.add)
  }
  // end

  // snippet: awaited
  func makeProvingTransport(
    _ transport: any Transport, proof: @escaping @Sendable (URLRequest) async throws -> String
  ) -> InterceptedTransport {
    transport.intercepted { exchange in
      let text = try await proof(exchange.request)
      exchange.request.setValue(text, forHTTPHeaderField: "DPoP")
    }
  }
  // end

  // snippet: faulty
  func makeFaultyTransport(
    _ transport: any Transport, chance: @escaping @Sendable () -> Double
  ) -> InterceptedTransport {
    transport.intercepted { exchange in
      switch chance() {
      case ..<0.1: throw TransportError(kind: .connectionReset, mayHaveBeenProcessed: true)
      case ..<0.2: exchange.response = .status(503, to: exchange.request)
      default: break
      }
    }
  }
  // end

  // snippet: measured
  func makeMeasuredTransport(
    _ transport: any Transport, clock: any Scheduler, log: @escaping @Sendable (String) -> Void
  ) -> InterceptedTransport {
    transport.intercepted { exchange in
      let (path, start) = (exchange.request.url?.path() ?? "", clock.now)
      exchange.onHead { log("\(path): \($0.statusCode) after \(clock.now - start)") }
      exchange.onEnd { _ in log("\(path): over after \(clock.now - start)") }
    }
  }
  // end
}
