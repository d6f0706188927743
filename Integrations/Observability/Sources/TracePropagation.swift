import Foundation
import RESTKit
import Tracing

/// Which requests carry the context of their trace, and how much of it.
///
/// The propagator writes the header fields: `traceparent` and `tracestate` as a rule (W3C Trace Context).
/// They name the trace to whoever gets them, so by default they stay at the origin of the API that makes
/// the request, and do not follow a redirect away from it.
///
/// A request that has one of these fields from its own modifier keeps it and gets none of the others
/// but `baggage`, since they belong together. The span has an event that says so.
public struct TracePropagation: Sendable {
  /// The origins whose requests carry the context.
  public enum Destinations: Sendable {
    /// That of the API that makes the request.
    case apiOrigin
    /// These, such as `https://api.example.com`, with the port where that is not the scheme's own; none
    /// where the list is empty. Scheme and host are compared without their case.
    case origins(Set<String>)
    /// All, also those that a redirect leads to.
    case everywhere
  }

  /// The origins whose requests carry the context.
  public var destinations: Destinations
  /// Whether `baggage` goes along (W3C Baggage): it has values of the app's.
  public var includesBaggage: Bool
  /// What writes the fields; nil for the tracer.
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
  /// What is to be added to a request.
  struct Injection {
    var fields: [(String, String)] = []
    /// The name of the field that the request had already.
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

  /// Scheme, host and port (RFC 6454 §4).
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
