import Foundation
import RESTKit
import Tracing

/// The rules for the trace context in requests: the requests that carry it, and the parts that they
/// carry.
///
/// The propagator writes the header fields, usually `traceparent` and `tracestate` (W3C Trace
/// Context). They reveal the trace to each recipient. By default, only requests to the origin of
/// the API carry them, and a redirect to another origin does not.
///
/// If a request's modifier has set one of these fields, the request keeps it. It then gets none of
/// the other fields except `baggage`, since they belong together. An event of the span records
/// this.
public struct TracePropagation: Sendable {
  /// The origins whose requests carry the context.
  public enum Destinations: Sendable {
    /// The origin of the API that makes the request.
    case apiOrigin
    /// These origins, such as `https://api.example.com`, with the port if it is not the scheme's
    /// default. No request carries the context if the set is empty. The comparison ignores the case
    /// of scheme and host.
    case origins(Set<String>)
    /// All origins, including the targets of redirects.
    case everywhere
  }

  /// The origins whose requests carry the context.
  public var destinations: Destinations
  /// Whether requests carry `baggage` (W3C Baggage), which contains values of the app.
  public var includesBaggage: Bool
  /// The instrument that writes the fields, or nil for the tracer.
  public var propagator: (any Instrument)?

  public init(
    to destinations: Destinations = .apiOrigin, includesBaggage: Bool = false,
    by propagator: (any Instrument)? = nil
  ) {
    self.destinations = destinations
    self.includesBaggage = includesBaggage
    self.propagator = propagator
  }
}

extension TracePropagation {
  /// The fields to add to a request.
  struct Injection {
    var fields: [(String, String)] = []
    /// The name of the field that the request already had.
    var kept: String?
  }

  func fields(
    of context: ServiceContext, for exchange: ExchangeBeginning, by tracer: any Tracer
  ) -> Injection {
    guard admits(exchange) else { return Injection() }
    var carrier: [String: String] = [:]
    let propagator = propagator ?? tracer
    propagator.inject(context, into: &carrier, using: FieldInjector())
    var injection = Injection()
    let fields = carrier.sorted { $0.key < $1.key }
    let own = fields.first { name, _ in
      !Self.isBaggage(name) && exchange.request.value(forHTTPHeaderField: name) != nil
    }
    injection.kept = own?.key
    for (name, value) in fields {
      let isWanted = Self.isBaggage(name) ? includesBaggage : own == nil
      if isWanted { injection.fields.append((name, value)) }
    }
    return injection
  }

  private func admits(_ exchange: ExchangeBeginning) -> Bool {
    switch destinations {
    case .apiOrigin: return exchange.isAtAPIOrigin
    case .everywhere: return true
    case .origins(let texts):
      guard let origin = exchange.request.url.flatMap(Self.origin) else { return false }
      return texts.contains { URL(string: $0).flatMap(Self.origin) == origin }
    }
  }

  /// Returns the scheme, the host and the port (RFC 6454 §4).
  private static func origin(of url: URL) -> [String]? {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else {
      return nil
    }
    return [scheme, host, "\(url.port ?? (scheme == "https" ? 443 : 80))"]
  }

  private static func isBaggage(_ name: String) -> Bool { name.lowercased() == "baggage" }
}

private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    carrier[key] = value
  }
}
