import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that records the exchanges of another transport, as HAR 1.2.
///
/// ```swift
/// let recorder = HARRecorder(.shared)
/// let api = ShopAPI(transport: recorder)
/// // … calls …
/// try recorder.har.write(to: file)
/// ```
///
/// Each attempt, refresh and redirect is a separate entry. A response from an `HTTPCache` is an
/// entry with the field `_fromCache`. A failure is an entry with the status 0 and the kind of its
/// `TransportError` in a field `_fault`, with which a replay fails. A cancelled exchange has no
/// entry. Secrets are hidden during the recording: they are never in ``har``. `HARReplay` of
/// RESTKitTesting answers from such a file.
///
/// The names in an API's `secretHeaders` count as names of secrets in its calls. The entry of a
/// response from a cache knows only the names of calls that were sent before.
public final class HARRecorder: Transport {
  private let transport: any Transport
  private let redaction: Redaction
  private let bodyLimit: Int
  private let clock: any Scheduler
  private let date: @Sendable () -> Date
  /// The entries in the order in which the exchanges began; nil for those that have not ended.
  private let entries = Lock<[HAREntry?]>([])
  /// The redaction of cached responses, with the names that APIs have declared so far.
  private let cacheRedaction: Lock<Redaction>

  /// - Parameters:
  ///   - transport: The transport of the requests.
  ///   - redaction: The values to hide; by default every value that could be a secret.
  ///   - bodyLimit: The maximum size of a recorded body in bytes. A longer body is left out.
  ///   - clock: The clock that times the exchanges.
  ///   - date: The clock that dates them.
  public init(
    _ transport: any Transport, redaction: Redaction = .strict, bodyLimit: Int = 1 << 20,
    clock: any Scheduler = StandardTime.scheduler(else: .continuous),
    date: @escaping @Sendable () -> Date = StandardTime.wallClock()
  ) {
    self.transport = transport
    self.redaction = redaction
    self.bodyLimit = bodyLimit
    self.clock = clock
    self.date = date
    cacheRedaction = Lock(redaction)
  }

  /// The exchanges recorded so far.
  public var har: HAR { HAR(entries: entries.withLock { $0.compactMap { $0 } }) }

  public var identity: TransportIdentity { transport.identity }

  public var limits: TransportLimits { transport.limits }

  public var observer: CallObserver? { transport.observer }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [self] context in
      let end = begin(request, body: kept(request.httpBody ?? Data()), in: context)
      return transport.response(for: request).handleEvents(
        receiveOutput: { [self] in
          end(.response($0.head, body: kept($0.data)), $0.metrics)
        },
        receiveCompletion: { completion in
          if case .failure(let error) = completion { end(.failure(error), nil) }
        })
    }
    .eraseToAnyPublisher()
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    DeferredInContext { [self] context in
      let end = begin(request, body: kept(body, of: request), in: context)
      let response = Lock(PartialResponse())
      return transport.events(for: request, body: body)
        .onMetrics { metrics in response.withLock { $0.metrics = metrics } }
        .handleEvents(
          receiveOutput: { [bodyLimit] event in
            response.withLock { $0.take(event, limit: bodyLimit) }
          },
          receiveCompletion: { completion in
            let response = response.withLock { $0 }
            switch completion {
            case .finished:
              guard let head = response.head else { return }
              end(.response(head, body: response.body), response.metrics)
            case .failure(let error): end(.failure(error), nil)
            }
          })
    }
    .eraseToAnyPublisher()
  }

  /// Adds an entry with `_fromCache` for a response that was not sent over the network.
  public func noteCacheHit(_ response: RESTResponse, for request: URLRequest) {
    let recording = HARRecording(
      request: request, requestBody: kept(Data()), start: date(),
      outcome: .response(response.head, body: kept(response.data)), duration: .zero, metrics: nil,
      isFromCache: true)
    let entry = HAREntry(recording, redaction: cacheRedaction.withLock { $0 })
    entries.withLock { $0.append(entry) }
    transport.noteCacheHit(response, for: request)
  }

  private func begin(
    _ request: URLRequest, body: HARBody, in context: SubscriptionContext
  ) -> @Sendable (HARRecording.Outcome, ExchangeMetrics?) -> Void {
    let start = (time: clock.now, date: date())
    let declared = context[DeclaredSecrets.Key.self]
    let redaction = redaction.adding(declared)
    if declared != nil { cacheRedaction.withLock { $0 = $0.adding(declared) } }
    let place = entries.withLock { entries in
      entries.append(nil)
      return entries.count - 1
    }
    return { [self] outcome, metrics in
      let recording = HARRecording(
        request: request, requestBody: body, start: start.date, outcome: outcome,
        duration: clock.now - start.time, metrics: metrics)
      let entry = HAREntry(recording, redaction: redaction)
      entries.withLock { $0[place] = entry }
    }
  }

  private func kept(_ data: Data) -> HARBody {
    data.count <= bodyLimit ? HARBody(data) : HARBody(unkeptOfSize: Int64(data.count))
  }

  private func kept(_ body: RequestBody?, of request: URLRequest) -> HARBody {
    guard let body else { return kept(request.httpBody ?? Data()) }
    guard let data = body.data else {
      return HARBody(unkeptOfSize: body.expectedLength)
    }
    return kept(data)
  }
}

/// The recorded part of a response in pieces.
private struct PartialResponse {
  var head: ResponseHead?
  var body = HARBody(Data())
  var metrics: ExchangeMetrics?

  mutating func take(_ event: TransferEvent, limit: Int) {
    switch event {
    case .sent: break
    case .head(let head): self.head = head
    case .chunk(let chunk):
      body.size += Int64(chunk.count)
      if body.size <= limit { body.data?.append(chunk) } else { body.data = nil }
    }
  }
}
