import Fixtures
import RESTKit
import Streams

/// An instrument that writes a line where a call or an exchange begins and ends.
final class Transcript: CallInstrument {
  /// In the context of a subscriber: the trace that its calls belong to.
  enum Trace: SubscriptionContextKey {
    static var defaultValue: String { "none" }
  }

  private struct State: Sendable {
    var calls = 0
    var lines: [String] = []
    var beginnings: [ExchangeBeginning] = []
    var ends: [ExchangeEnd] = []
    var ages: [Duration] = []
    var mayRepeat: [Bool] = []
    var traces: [String] = []
  }

  private let state = Lock(State())
  private let headers: HTTPHeaders

  /// - Parameter headers: The header fields that the instrument adds to each request.
  init(adding headers: HTTPHeaders = [:]) {
    self.headers = headers
  }

  var lines: [String] { state.withLock { $0.lines } }
  var ages: [Duration] { state.withLock { $0.ages } }
  var mayRepeat: [Bool] { state.withLock { $0.mayRepeat } }
  var traces: [String] { state.withLock { $0.traces } }
  var beginnings: [ExchangeBeginning] { state.withLock { $0.beginnings } }
  var ends: [ExchangeEnd] { state.withLock { $0.ends } }

  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall {
    let number = state.withLock { state in
      state.calls += 1
      state.ages.append(beginning.age)
      state.mayRepeat.append(beginning.mayRepeat)
      state.traces.append(beginning.context[Trace.self])
      return state.calls
    }
    let parent = (beginning.parent as? TranscribedCall).map { " for \($0.number)" } ?? ""
    add("\(number) begins\(parent)")
    return TranscribedCall(number: number, in: self, adding: headers)
  }

  fileprivate func add(_ line: String) { state.withLock { $0.lines.append(line) } }

  fileprivate func note(_ beginning: ExchangeBeginning) {
    state.withLock { $0.beginnings.append(beginning) }
  }

  fileprivate func note(_ end: ExchangeEnd) { state.withLock { $0.ends.append(end) } }
}

private final class TranscribedCall: InstrumentedCall {
  let number: Int
  private let transcript: Transcript
  private let headers: HTTPHeaders

  init(number: Int, in transcript: Transcript, adding headers: HTTPHeaders) {
    self.number = number
    self.transcript = transcript
    self.headers = headers
  }

  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange {
    for (name, value) in self.headers { headers.append(name: name, value: value) }
    let request = RequestSummary(beginning.request)
    let name = "\(request.method) \(request.path)"
    transcript.add("\(number) sends \(name), attempt \(beginning.attempt), \(beginning.cause)")
    transcript.note(beginning)
    return TranscribedExchange(name: "\(number) ends \(name)", in: transcript)
  }

  func end(_ log: CallLog) { transcript.add("\(number) ends") }
}

private final class TranscribedExchange: InstrumentedExchange {
  private let name: String
  private let transcript: Transcript

  init(name: String, in transcript: Transcript) {
    self.name = name
    self.transcript = transcript
  }

  func end(_ end: ExchangeEnd) {
    let words = [end.status.map { "\($0)" }, end.errorType.map { "(\($0))" }]
    transcript.add(([name] + words.compactMap { $0 }).joined(separator: " "))
    transcript.note(end)
  }
}
