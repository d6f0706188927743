import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A kind of exchange: the form in which its response arrives, and the place of a redirect in it.
protocol ExchangeForm: Sendable {
  associatedtype Output: Sendable

  /// Whether the response arrives in pieces. The time-out then applies to each silence, otherwise
  /// to all requests together.
  var isInPieces: Bool { get }

  func outputs(
    for request: URLRequest, body: RequestBody?, plan: RequestPlan
  ) -> AnyPublisher<Output, any Error>

  /// Returns the same outputs, and reports the end to instruments.
  func outputs(
    _ outputs: AnyPublisher<Output, any Error>, ending run: InstrumentedRun
  ) -> AnyPublisher<Output, any Error>

  /// Returns the outputs that the step of the cache provides; nil if this form bypasses the step.
  func outputs(
    of hop: RedirectHop<Self>, by cache: CacheStep
  ) -> AnyPublisher<Output, any Error>?

  /// Makes an output name the departure of its request, unless it comes after the head.
  ///
  /// - Parameter journal: The journal of the call that the response ends, if it is known.
  func mark(_ output: inout Output, with departure: Departure, in journal: CallJournal?)

  /// Makes the texts of an output's head hide the values of declared names, too.
  func hide(_ declared: DeclaredSecrets, in output: inout Output)

  /// Gives an output's head the decoder of the API.
  func give(_ decoder: JSONDecoder, to output: inout Output)

  /// Returns the head that an output is or contains; nil for an output after the head.
  func head(of output: Output) -> ResponseHead?

  /// Returns the response that begins with an output, as part of a call if there is one; nil for an
  /// output after the head.
  func response(
    beginning output: inout Output, to request: @autoclosure () -> URLRequest,
    in journal: CallJournal?
  ) -> RESTResponse?
}

struct WholeExchange: ExchangeForm {
  var isInPieces: Bool { false }

  func outputs(
    for request: URLRequest, body: RequestBody?, plan: RequestPlan
  ) -> AnyPublisher<RESTResponse, any Error> {
    plan.transport.response(for: request)
  }

  func outputs(
    _ outputs: AnyPublisher<RESTResponse, any Error>, ending run: InstrumentedRun
  ) -> AnyPublisher<RESTResponse, any Error> {
    outputs.handleEvents(
      receiveOutput: { run.end($0) }, receiveCompletion: { run.end($0) },
      receiveCancel: { run.cancel() }
    ).eraseToAnyPublisher()
  }

  func outputs(
    of hop: RedirectHop<WholeExchange>, by cache: CacheStep
  ) -> AnyPublisher<RESTResponse, any Error>? {
    cache.response(for: hop)
  }

  func mark(
    _ output: inout RESTResponse, with departure: Departure, in journal: CallJournal?
  ) {
    output = output.answering(departure, in: journal)
  }

  func hide(_ declared: DeclaredSecrets, in output: inout RESTResponse) {
    output = output.replacing(head: output.head.hiding(declared), data: output.data)
  }

  func give(_ decoder: JSONDecoder, to output: inout RESTResponse) {
    var head = output.head
    head.decoder = decoder
    output = output.replacing(head: head, data: output.data)
  }

  func head(of output: RESTResponse) -> ResponseHead? { output.head }

  func response(
    beginning output: inout RESTResponse, to request: @autoclosure () -> URLRequest,
    in journal: CallJournal?
  ) -> RESTResponse? {
    if let journal {
      journal.record(.received(status: output.statusCode, metrics: output.metrics))
      if output.journal !== journal { output = output.belonging(to: journal) }
    }
    return output
  }
}

struct ExchangeInPieces: ExchangeForm {
  var isInPieces: Bool { true }

  func outputs(
    for request: URLRequest, body: RequestBody?, plan: RequestPlan
  ) -> AnyPublisher<TransferEvent, any Error> {
    let events = plan.transport.events(for: request, body: body)
    guard let journal = plan.scopedCall?.journal else { return events }
    return events.onMetrics { journal.record(.transferred(metrics: $0)) }.eraseToAnyPublisher()
  }

  func outputs(
    _ outputs: AnyPublisher<TransferEvent, any Error>, ending run: InstrumentedRun
  ) -> AnyPublisher<TransferEvent, any Error> {
    outputs.onMetrics { run.note($0) }
      .handleEvents(
        receiveOutput: { event in
          if case .head(let head) = event { run.note(status: head.statusCode) }
        },
        receiveCompletion: { run.end($0) }, receiveCancel: { run.cancel() }
      ).eraseToAnyPublisher()
  }

  func outputs(
    of hop: RedirectHop<ExchangeInPieces>, by cache: CacheStep
  ) -> AnyPublisher<TransferEvent, any Error>? { nil }

  func mark(
    _ output: inout TransferEvent, with departure: Departure, in journal: CallJournal?
  ) {
    guard case .head(var head) = output else { return }
    head.departure = departure
    output = .head(head)
  }

  func hide(_ declared: DeclaredSecrets, in output: inout TransferEvent) {
    if case .head(let head) = output { output = .head(head.hiding(declared)) }
  }

  func give(_ decoder: JSONDecoder, to output: inout TransferEvent) {
    guard case .head(var head) = output else { return }
    head.decoder = decoder
    output = .head(head)
  }

  func head(of output: TransferEvent) -> ResponseHead? {
    if case .head(let head) = output { head } else { nil }
  }

  func response(
    beginning output: inout TransferEvent, to request: @autoclosure () -> URLRequest,
    in journal: CallJournal?
  ) -> RESTResponse? {
    guard let head = head(of: output) else { return nil }
    journal?.record(.received(status: head.statusCode, metrics: nil))
    return RESTResponse(head: head, data: Data(), request: RequestSummary(request()))
  }
}
