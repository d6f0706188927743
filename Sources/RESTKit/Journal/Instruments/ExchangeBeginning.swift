import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a ``CallInstrument`` is told of an exchange that begins.
public struct ExchangeBeginning: Sendable {
  /// The request as it leaves, without what instruments add.
  ///
  /// It has its secrets: ``attributes`` are what may be told.
  public let request: URLRequest
  /// Which attempt of the call it belongs to, from 1; a redirect is part of its attempt.
  public let attempt: Int
  /// Why it is sent.
  public let cause: CallCause
  /// How many requests, it included, were sent again since the call sent one for the first time: after a
  /// failure, a refresh or a redirect; 0 for that one.
  public let resendCount: Int
  /// The path of an endpoint with `{}` in the place of each value, such as `/v1/pets/{}`; nil where the
  /// path is known at run time only, and after a redirect.
  public let urlTemplate: String?
  /// Whether the request goes to the origin of the API that made it (RFC 6454 §4): not after a redirect
  /// to another one.
  public let isAtAPIOrigin: Bool
  /// The time since the call began.
  public let time: Duration
}

extension ExchangeBeginning: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Such as `GET https://shop.example.com/v1/orders, attempt 2`, without a secret.
  public var description: String { "\(RequestSummary(request)), attempt \(attempt)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
