import Foundation

/// The value of an attribute of a call or an event.
public enum CallAttribute: Sendable, Hashable, CustomStringConvertible {
  case string(String)
  case integer(Int)

  public var description: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    }
  }
}

extension CallLog {
  /// The call as attributes of OpenTelemetry's conventions for HTTP clients.
  ///
  /// `http.request.method`, `url.scheme`, `server.address` and `server.port` describe the last
  /// request. `http.response.status_code`, `network.protocol.version`, `network.peer.address` and
  /// `network.peer.port` describe the last response. For a unix socket, `network.transport` is
  /// `unix`, the address is the socket's path, and there is no port. `http.request.resend_count` is
  /// the number of requests after the first. `error.type` describes a call without a result: the
  /// status, the class of the fault such as `timedOut`, or `_OTHER`. Unknown values are left out,
  /// and so are the URL's path and query.
  public var attributes: [String: CallAttribute] {
    var attributes: [String: CallAttribute] = [:]
    var requests = 0
    for event in events {
      switch event.kind {
      case .sent: requests += 1
      case .omitted(_, let omitted): requests += omitted
      default: break
      }
      attributes.merge(event.attributes) { $1 }
    }
    attributes["http.request.resend_count"] = requests > 1 ? .integer(requests - 1) : nil
    attributes["error.type"] = errorType.map(CallAttribute.string)
    return attributes
  }

  /// The class of the failure.
  ///
  /// A later response or value clears the failure of an attempt.
  private var errorType: String? {
    var type: String?
    for event in events {
      switch event.kind {
      case .received(let status, _): type = status >= 400 ? "\(status)" : nil
      case .decoded: type = nil
      case .failed: type = type ?? failure ?? "_OTHER"
      case .cancelled: type = type ?? "cancelled"
      default: break
      }
    }
    return type
  }
}

extension CallEvent {
  /// The event as attributes of OpenTelemetry's conventions for HTTP clients, or empty if they
  /// define none for it.
  public var attributes: [String: CallAttribute] {
    switch kind {
    case .built(let request), .redirected(let request, _): Self.attributes(of: request)
    case .sent(let attempt, _) where attempt > 1:
      ["http.request.resend_count": .integer(attempt - 1)]
    case .received(let status, let metrics):
      ["http.response.status_code": .integer(status)]
        .merging(Self.attributes(of: metrics)) { $1 }
    case .transferred(let metrics): Self.attributes(of: metrics)
    default: [:]
    }
  }

  package static func attributes(of request: RequestSummary) -> [String: CallAttribute] {
    var attributes: [String: CallAttribute] = [
      "http.request.method": .string(request.method.description)
    ]
    guard let url = URL(string: request.location), url.host != nil else { return attributes }
    let origin = Origin(url)
    attributes["url.scheme"] = .string(origin.scheme)
    attributes["server.address"] = .string(origin.host)
    attributes["server.port"] = .integer(origin.port)
    return attributes
  }

  package static func attributes(of metrics: ExchangeMetrics?) -> [String: CallAttribute] {
    var attributes: [String: CallAttribute] = [:]
    if let version = metrics?.httpVersion?.split(separator: "/").last {
      attributes["network.protocol.version"] = .string(String(version))
    }
    switch metrics?.remoteAddress.flatMap(PeerAddress.init) {
    case .internet(let address, let port)?:
      attributes["network.peer.address"] = .string(address)
      attributes["network.peer.port"] = port.map(CallAttribute.integer)
    case .unixSocket(let path)?:
      attributes["network.transport"] = .string("unix")
      attributes["network.peer.address"] = .string(path)
    case nil: break
    }
    return attributes
  }
}
