/// What is measured.
enum Case: Sendable, CaseIterable {
  case oneCaller
  case eightCallers
  case manyCallers
  /// RESTKit's layer alone, above a transport that has the answer.
  case answeredAtOnce
  /// The same above a transport that can be observed, beside one that cannot.
  case unheardLog
  case longRun
  case burst
  case download
  case upload

  var title: String {
    switch self {
    case .oneCaller: "1 caller"
    case .eightCallers: "8 callers"
    case .manyCallers: "64 callers"
    case .answeredAtOnce: "answered at once, no network"
    case .unheardLog: "a log that nobody reads"
    case .longRun: "200,000 calls in one process"
    case .burst: "10,000 calls at once to one host"
    case .download: "1 GiB into a file"
    case .upload: "1 GiB from a file"
    }
  }

  /// How many callers there are, each with one call at a time; nil for what is not timed.
  var callers: Int? {
    switch self {
    case .oneCaller, .answeredAtOnce: 1
    case .eightCallers: 8
    case .manyCallers: 64
    case .unheardLog, .longRun, .burst, .download, .upload: nil
    }
  }

  /// What runs in a process of its own, since its memory is measured.
  var isAlone: Bool { callers == nil }
}
