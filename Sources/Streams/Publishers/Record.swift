/// A publisher of recorded values, followed by the recorded end.
///
/// Each subscriber gets all values, on request. The end, also a failure, arrives with the last
/// value.
@frozen public struct Record<Output: Sendable, Failure: Error>: Publisher {
  public let recording: Recording

  @inlinable public init(recording: Recording) {
    self.recording = recording
  }

  /// - Parameter record: A closure that fills the recording at once. Nothing runs later.
  @inlinable public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  @inlinable public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    let values = Publishers.Sequence<[Output], Failure>(sequence: recording.output)
    switch recording.completion {
    case .finished: values.receive(subscriber: subscriber)
    case .failure(let error): values.append(Fail(error: error)).receive(subscriber: subscriber)
    }
  }

  /// Recorded values and a completion.
  public struct Recording: Sendable {
    public typealias Input = Output

    public private(set) var output: [Output]
    /// The recorded completion, which is `finished` by default.
    public private(set) var completion: Subscribers.Completion<Failure>
    private var hasEnded: Bool

    public init() {
      output = []
      completion = .finished
      hasEnded = false
    }

    /// Creates a complete recording, to which nothing can be added.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      self.output = output
      self.completion = completion
      hasEnded = true
    }

    /// Adds a value.
    ///
    /// After the end, the value is dropped and reported as a contract violation.
    public mutating func receive(_ input: Output) {
      guard !hasEnded else {
        ContractViolation.report(.valueAfterEnd, by: Self.self)
        return
      }
      output.append(input)
    }

    /// Sets the end.
    ///
    /// A second end is dropped and reported as a contract violation.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      guard !hasEnded else {
        ContractViolation.report(.secondEnd, by: Self.self)
        return
      }
      self.completion = completion
      hasEnded = true
    }
  }
}
