import Fixtures
import Foundation
import HTTPTransport
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The network of the world of live streams: an origin with a line of places, and the exchanges.
///
/// It notes all that it sees, and complains at once of what should not be there.
final class LiveNetwork: Transport {
  enum Outcome: Sendable, Equatable {
    case finished, cancelled
    case fault(TransportError.Kind)
  }

  /// One request, as the network saw it.
  struct Record: Sendable {
    let stream: Int?
    let isHop: Bool
    let isFollowed: Bool
    let sent: Duration
    /// The number of values that it goes on from; nil where bytes or ids say it.
    var place: Int?
    var token: Int?
    /// Whether it had a place.
    var departed = false
    var script = LiveScript()
    /// Whether the reader got the head.
    var hasHead = false
    /// The bytes of its body that the reader got.
    var handed = 0
    var lastHanded: Duration?
    var ended: Duration?
    var outcome: Outcome?
    /// The server's delay between connections before this one.
    var delay: Duration?

    /// The effects of what the reader got of a body that it accepts.
    var effects: [LiveBody.Effect] {
      script.body?.effects(from: script.from, to: script.from + handed) ?? []
    }

    var values: [String] {
      effects.compactMap { if case .value(let value) = $0 { value } else { nil } }
        + (isWhole ? script.last.map { [$0] } ?? [] : [])
    }

    /// Whether it ended as it should.
    ///
    /// The end of a followed file is not that of its last line.
    private var isWhole: Bool { outcome == .finished && script.body != nil && !isFollowed }

    var retryAfter: Duration? {
      script.headers["Retry-After"].flatMap { Int($0) }.map { .seconds($0) }
    }
  }

  struct State: Sendable {
    var server: LiveServer
    var records: [Record] = []
    var exchanges: [Int: LiveExchange] = [:]
    var running: Set<Int> = []
    var waiting: [LiveExchange] = []
    var urgent: Set<Int> = []
    var looks: [Int: (look: LastLook, request: URLRequest)] = [:]
    var requests: [Int: URLRequest] = [:]
    var isKnownHTTP2 = false
    var refreshes = 0
    /// The new token of each refresh.
    var issued: [Int: Int] = [:]
    /// The newest token that each session has.
    var newest: [Int: Int] = [:]
    var complaints: [String] = []
  }

  static let origin = "https://api.example.com"

  let scheduler: TestScheduler
  let plan: LivePlan
  let state: Lock<State>
  /// The streams, by their numbers.
  let streams = Lock<[LiveReader]>([])

  init(_ plan: LivePlan, scheduler: TestScheduler) {
    self.plan = plan
    self.scheduler = scheduler
    state = Lock(State(server: LiveServer(plan)))
  }

  /// Whether all goes well from now on.
  var isQuiet: Bool { state.withLock { $0.server.isQuiet } }

  func complain(_ text: @autoclosure () -> String) {
    let line = "\(scheduler.now): \(text())"
    state.withLock { $0.complaints.append(line) }
  }

  // MARK: Transport

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    LiveExchanges(request: request, network: self).eraseToAnyPublisher()
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    LiveExchanges(request: request, network: self).collect().tryMap { events in
      var (head, data) = (nil as ResponseHead?, Data())
      for event in events {
        switch event {
        case .head(let new): head = new
        case .chunk(let chunk): data += chunk
        case .sent: break
        }
      }
      guard let head else { throw TestFailure() }
      return RESTResponse(head: head, data: data, request: RequestSummary(request))
    }
    .eraseToAnyPublisher()
  }

  private struct LiveExchanges: Publisher {
    typealias Output = TransferEvent
    typealias Failure = any Error

    let request: URLRequest
    let network: LiveNetwork

    func receive<Downstream: Subscriber>(subscriber: consuming Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      network.begin(request, for: AnySubscriber(subscriber))
    }
  }

  // MARK: The line

  private func begin(_ request: URLRequest, for downstream: LiveExchange.Downstream) {
    let number = note(request)
    let exchange = LiveExchange(number, request, for: downstream, in: self)
    let look = downstream.context[LastLook.Key.self]
    let isUrgent = downstream.context[UrgentExchange.self]
    state.withLock { state in
      state.exchanges[number] = exchange
      state.requests[number] = request
      if let look { state.looks[number] = (look, request) }
      if isUrgent { state.urgent.insert(number) }
    }
    downstream.receive(subscription: exchange)
    guard exchange.isRunning else { return }
    let leaves = state.withLock { state in
      if state.hasPlace(isUrgent: isUrgent), isUrgent || state.waiting.isEmpty {
        state.running.insert(number)
        return true
      }
      let isFirst = isUrgent || look?.goesFirst == true
      state.waiting.insert(exchange, at: isFirst ? 0 : state.waiting.count)
      return false
    }
    if leaves { depart(exchange, with: request) }
  }

  /// Lets those leave for which there is a place.
  private func letLeave() {
    while let exchange = takeNext() {
      let (request, look) = state.withLock { state in
        (state.requests[exchange.number], state.looks[exchange.number])
      }
      guard var request else { continue }
      switch look?.look.verdict(on: request) {
      case .authorization(let value):
        request.setValue(value, forHTTPHeaderField: "Authorization")
      case .heldBack:
        exchange.fail(.heldBack)
        continue
      case .unchanged, nil: break
      }
      depart(exchange, with: request)
    }
  }

  private func takeNext() -> LiveExchange? {
    state.withLock { state in
      guard
        let index = state.waiting.firstIndex(where: { exchange in
          state.hasPlace(isUrgent: state.urgent.contains(exchange.number))
        })
      else { return nil }
      let exchange = state.waiting.remove(at: index)
      state.running.insert(exchange.number)
      return exchange
    }
  }

  private func depart(_ exchange: LiveExchange, with request: URLRequest) {
    let number = exchange.number
    let token = request.value(forHTTPHeaderField: "Authorization")
      .flatMap { Int($0.dropFirst("Bearer a".count)) }
    let (stream, isHop) = state.withLock { state in
      state.records[number].departed = true
      state.records[number].token = token
      return (state.records[number].stream, state.records[number].isHop)
    }
    if let stream { check(request, token, of: stream, isHop: isHop) }
    let id = stream.map { self.id(of: $0) } ?? ""
    let now = scheduler.now
    let script = state.withLock { state -> LiveScript in
      if let stream {
        return state.server.script(for: request, of: stream, token: token, id: id ?? "", at: now)
      }
      state.refreshes += 1
      let (script, new) = state.server.refresh(request, number: state.refreshes, at: now)
      if let new { state.issued[number] = new }
      return script
    }
    state.withLock { $0.records[number].script = script }
    guard plan.hasBlockingReaders else { return exchange.play(script) }
    // An answer inside the call that sends would block whatever comes behind it on the stack.
    _ = scheduler.schedule(after: .zero) { exchange.play(script) }
  }

  // MARK: What exchanges tell

  func noteHead(of exchange: LiveExchange) {
    let isWider = state.withLock { state in
      state.records[exchange.number].hasHead = true
      guard plan.isHTTP2, !state.isKnownHTTP2 else { return false }
      state.isKnownHTTP2 = true
      return true
    }
    if isWider { letLeave() }
  }

  func noteHanded(_ count: Int, by exchange: LiveExchange) {
    let now = scheduler.now
    state.withLock { state in
      state.records[exchange.number].handed += count
      state.records[exchange.number].lastHanded = now
    }
  }

  /// Looks whether a reader that takes all has what the bytes so far complete.
  func checkPromptness(of exchange: LiveExchange) {
    guard let stream = state.withLock({ $0.records[exchange.number].stream }) else { return }
    let reader = streams.withLock { $0[stream] }
    guard reader.ask.kind == .records, case .all = reader.ask.reading, !reader.isOver else {
      return
    }
    let due = records(of: stream).flatMap(\.values).count
    let count = reader.values.count
    if count < due { complain("stream \(stream) has \(count) of \(due) records") }
  }

  /// - Returns: Whether it had not ended before.
  func end(_ exchange: LiveExchange, _ outcome: Outcome) -> Bool {
    let now = scheduler.now
    let isFirst = state.withLock { state in
      state.exchanges[exchange.number] = nil
      state.looks[exchange.number] = nil
      state.running.remove(exchange.number)
      state.waiting.removeAll { $0 === exchange }
      guard state.records[exchange.number].outcome == nil else { return false }
      state.records[exchange.number].outcome = outcome
      state.records[exchange.number].ended = now
      return true
    }
    letLeave()
    return isFirst
  }

  /// A whole response has arrived.
  func noteDelivered(_ exchange: LiveExchange) {
    state.withLock { state in
      guard let token = state.issued[exchange.number] else { return }
      let session = state.server.tokens[token].session
      state.newest[session] = max(state.newest[session] ?? 0, token)
    }
  }

  // MARK: Requests

  private func note(_ request: URLRequest) -> Int {
    let stream = request.value(forHTTPHeaderField: "Stream").flatMap { Int($0) }
    let delay = stream.flatMap { self.delay(of: $0) }
    if let stream, streams.withLock({ $0[stream] }).isOver {
      complain("stream \(stream) asks after its end")
    }
    if let stream { check(request, placeOf: stream) }
    let isHop = request.url?.path.contains("/moved/") == true
    let isFollowed = stream.map { number in streams.withLock { $0[number] } }?.ask.kind == .follow
    let place = request.value(forHTTPHeaderField: "After").map { Int($0) ?? 0 }
    let now = scheduler.now
    return state.withLock { state in
      var record = Record(stream: stream, isHop: isHop, isFollowed: isFollowed, sent: now)
      record.delay = delay
      record.place = place
      state.records.append(record)
      return state.records.count - 1
    }
  }

  func records(of stream: Int) -> [Record] {
    state.withLock { state in state.records.filter { $0.stream == stream } }
  }

  private func effects(of stream: Int) -> [LiveBody.Effect] {
    records(of: stream).flatMap(\.effects)
  }

  /// The id that a reader has; nil if there was none.
  private func id(of stream: Int) -> String? {
    let known = streams.withLock { $0[stream] }.ask.known
    return effects(of: stream).reversed().lazy
      .compactMap { if case .id(let id) = $0 { id } else { nil } }.first
      ?? (known > 0 ? "\(known)" : nil)
  }

  private func delay(of stream: Int) -> Duration? {
    effects(of: stream).reversed().lazy
      .compactMap { if case .delay(let delay) = $0 { delay } else { nil } }.first
  }

  /// Looks whether a request goes on where the reader is.
  private func check(_ request: URLRequest, placeOf stream: Int) {
    let reader = streams.withLock { $0[stream] }
    switch reader.ask.kind {
    case .feed, .chat:
      let (sent, id) = (request.value(forHTTPHeaderField: "Last-Event-ID"), id(of: stream))
      let due = id?.isEmpty == false ? id : nil
      if sent != due { complain("stream \(stream) goes on from \(sent ?? "-"), not \(due ?? "-")") }
    case .rows, .watch, .records:
      let sent = request.value(forHTTPHeaderField: "After")
      let last = reader.values.count
      if sent != (last > 0 ? "\(last)" : nil) {
        complain("stream \(stream) goes on from \(sent ?? "-"), not \(last)")
      }
    case .tail, .follow:
      let sent = request.value(forHTTPHeaderField: "Range")
      let length = records(of: stream).filter { $0.script.body != nil }.map(\.handed).reduce(0, +)
      if sent != (length > 0 ? "bytes=\(length)-" : nil) {
        complain("stream \(stream) goes on from \(sent ?? "-"), not \(length)")
      }
    case .lines, .rowsOfEndpoint, .call: break
    }
  }

  /// The longest time for which a subscriber blocks the thread, on which a request may be just
  /// about to leave.
  private var longestBlock: Duration {
    streams.withLock(\.self).map { reader in
      if case .blocking(let time, _) = reader.ask.reading { time } else { .zero }
    }.max() ?? .zero
  }

  /// Looks whether a request may carry a token, as it leaves.
  private func check(_ request: URLRequest, _ token: Int?, of stream: Int, isHop: Bool) {
    let reader = streams.withLock { $0[stream] }
    guard let token else {
      if reader.ask.session != nil { complain("stream \(stream) has no token") }
      return
    }
    guard let app = reader.app else { return complain("stream \(stream) has a token") }
    if !isHop, reader.epoch != app.epoch { complain("stream \(stream) asks after its user's end") }
    let now = scheduler.now
    let (sent, newest) = state.withLock { state in
      (state.server.tokens[token], state.newest[app.number] ?? token)
    }
    if sent.user != reader.user {
      complain("stream \(stream) of \(reader.user ?? -1) has a token of \(sent.user)")
    }
    if token < newest { complain("stream \(stream) sends token \(token), not \(newest)") }
    if let end = sent.end, now >= end + longestBlock {
      complain("stream \(stream) sends a token that has expired")
    }
  }
}

extension LiveNetwork.State {
  /// Whether another exchange may run.
  func hasPlace(isUrgent: Bool) -> Bool {
    // A place is kept for what other exchanges wait for.
    let places = isKnownHTTP2 ? 100 : server.plan.places
    return isUrgent ? running.count <= places : running.subtracting(urgent).count < places
  }
}
