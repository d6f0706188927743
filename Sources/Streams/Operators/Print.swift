extension Publisher {
  /// Prints one line for each signal that passes.
  ///
  /// The lines are those of Combine: `receive subscription`, `receive value: (1)`,
  /// `receive finished`, `receive error: (…)`, `request unlimited`, `request max: (1)`,
  /// `receive cancel`.
  ///
  /// ```marble
  /// source: --1--2--|
  /// print("numbers", to: log)
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread. Lines are written one at a time, in order, on the thread
  ///   of the signal or on a thread that is already writing.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - prefix: The text before each line, to which a colon is added.
  ///   - stream: The stream that takes the lines, or nil for standard output. Each subscription has
  ///     its own copy.
  @inlinable
  public func print(_ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil)
    -> Publishers.Print<Self>
  {
    print(prefix, to: stream, output: { "\($0)" }, failure: { "\($0)" })
  }

  /// As `print(_:to:)`, with other texts for values and failures.
  @usableFromInline
  package func print(
    _ prefix: String, to stream: (any TextOutputStream & Sendable)?,
    output: @escaping @Sendable (Output) -> String,
    failure: @escaping @Sendable (Failure) -> String
  ) -> Publishers.Print<Self> {
    Deferred {
      let printer = LinePrinter(prefix: prefix, stream: stream)
      return handleEvents(
        receiveSubscription: { _ in printer.print("receive subscription") },
        receiveOutput: { printer.print("receive value: (\(output($0)))") },
        receiveCompletion: { completion in
          switch completion {
          case .finished: printer.print("receive finished")
          case .failure(let error): printer.print("receive error: (\(failure(error)))")
          }
        },
        receiveCancel: { printer.print("receive cancel") },
        receiveRequest: { demand in
          printer.print(demand.max.map { "request max: (\($0))" } ?? "request \(demand)")
        }
      )
    }
  }
}

extension Publishers {
  /// A publisher that prints the signals that pass.
  public typealias Print<Upstream: Publisher> = Deferred<HandleEvents<Upstream>>
}

/// A printer that writes lines one after another.
///
/// A thread that finds no other thread writing writes its line, and then the lines that others add
/// meanwhile. The user's stream is therefore called for one line at a time, and not under the lock.
@usableFromInline final class LinePrinter: Sendable {
  private let mark = LeakMark("linePrinter")
  private let prefix: String
  private let waiting = Lock(FIFO<String>())
  private let stream: Confined<(any TextOutputStream & Sendable)?>
  private let writing = Trampoline()

  @usableFromInline init(prefix: String, stream: (any TextOutputStream & Sendable)?) {
    self.prefix = prefix.isEmpty ? "" : prefix + ": "
    self.stream = Confined(stream)
  }

  @usableFromInline func print(_ line: String) {
    waiting.withLock { $0.append(prefix + line) }
    writing.drain(waiting, next: { $0.popFirst() }) { text in
      stream.access { stream in
        if stream == nil { Swift.print(text) } else { stream?.write(text + "\n") }
      }
    }
  }
}
