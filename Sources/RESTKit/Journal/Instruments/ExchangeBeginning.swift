import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The information that a ``CallInstrument`` gets about an exchange that begins.
public struct ExchangeBeginning: Sendable {
  /// The request as it is sent, without the fields that instruments add.
  ///
  /// It contains its secrets; ``attributes`` are safe to show.
  public let request: URLRequest
  /// The number of the attempt in the call, from 1.
  ///
  /// A redirect is part of its attempt.
  public let attempt: Int
  /// The cause of the request.
  public let cause: CallCause
  /// The number of repeated requests since the call's first one, including this one: after a failure, a
  /// refresh or a redirect.
  ///
  /// It is 0 for the first request.
  public let resendCount: Int
  /// The path of an endpoint with `{}` in place of each value, such as `/v1/pets/{}`.
  ///
  /// It is nil if the path is known only at run time, and after a redirect.
  public let urlTemplate: String?
  /// Whether the request goes to the origin of its API (RFC 6454 §4).
  ///
  /// It is false after a redirect to another origin.
  public let isAtAPIOrigin: Bool
  /// The time since the call began.
  public let time: Duration
}

extension ExchangeBeginning: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// A text such as `GET https://shop.example.com/v1/orders, attempt 2`, without any secret.
  public var description: String { "\(RequestSummary(request)), attempt \(attempt)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
