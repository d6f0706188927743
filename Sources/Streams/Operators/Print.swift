extension Publisher {
  /// Prints all that goes by, a line for each signal.
  ///
  /// The lines are Combine's: `receive subscription`, `receive value: (1)`, `receive finished`,
  /// `receive error: (…)`, `request unlimited`, `request max: (1)`, `receive cancel`.
  ///
  /// ```marble
  /// source: --1--2--|
  /// print("numbers", to: log)
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers. Lines are written on the thread of the signal, or of
  ///   the one that is writing already: one at a time, in order.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - prefix: Goes before each line, with a colon.
  ///   - stream: Where the lines go; nil for standard output. Each subscription has a copy of its
  ///     own.
  @inlinable
  public func print(_ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil)
    -> Publishers.Print<Self>
  {
    Deferred {
      let printer = LinePrinter(prefix: prefix, stream: stream)
      return handleEvents(
        receiveSubscription: { _ in printer.print("receive subscription") },
        receiveOutput: { printer.print("receive value: (\($0))") },
        receiveCompletion: { completion in
          switch completion {
          case .finished: printer.print("receive finished")
          case .failure(let error): printer.print("receive error: (\(error))")
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
  /// A publisher that prints what goes by.
  public typealias Print<Upstream: Publisher> = Deferred<HandleEvents<Upstream>>
}

/// Writes lines one after another.
///
/// Who finds nobody writing writes, also what others bring meanwhile. So the user's stream is called
/// one line at a time, and not under the lock.
@usableFromInline final class LinePrinter: Sendable {
  private let mark = LiveMark(.linePrinter)
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
    writing.run {
      guard let text = waiting.withLock({ $0.popFirst() }) else { return }
      stream.access { stream in
        if stream == nil { Swift.print(text) } else { stream?.write(text + "\n") }
      }
    }
  }
}
