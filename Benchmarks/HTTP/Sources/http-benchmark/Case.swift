/// A measured case.
enum Case: Sendable, Hashable, CaseIterable {
  case calls(Traffic)
  /// RESTKit's layer alone, above a transport that returns the response at once.
  case answeredAtOnce
  /// RESTKit's layer above an observed transport, in comparison with one that cannot be observed.
  case unheardLog
  case longRun
  case burst
  case download
  case upload
  case slowSubscriber

  static let allCases: [Case] =
    Traffic.plain.map(Case.calls)
    + [
      .answeredAtOnce, .unheardLog, .longRun, .burst, .download, .upload, .slowSubscriber,
    ] + Traffic.secure.map(Case.calls)

  var title: String {
    switch self {
    case .calls(let traffic): traffic.title
    case .answeredAtOnce: "answered at once, no network"
    case .unheardLog: "a log that nobody reads"
    case .longRun: "200,000 calls in one process"
    case .burst: "10,000 calls at once to one host"
    case .download: "1 GiB into a file"
    case .upload: "1 GiB from a file"
    case .slowSubscriber: "a small call while another decodes 10 MB"
    }
  }

  /// Whether the case runs in its own process, because its memory is measured or nothing else may
  /// run there.
  var isAlone: Bool {
    switch self {
    case .calls, .answeredAtOnce: false
    case .unheardLog, .longRun, .burst, .download, .upload, .slowSubscriber: true
    }
  }
}
