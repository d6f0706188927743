import Streams
import StreamsFixtures
import StreamsTesting

extension TryForm {
  /// Those that make of each value one or none.
  static var choosing: [TryForm] {
    [tryScan, tryFilter, tryCompactMap, tryRemoveDuplicates, tryPrefix, tryDrop, tryFirst]
  }

  private static var tryScan: TryForm {
    TryForm(
      name: "tryScan",
      untyped: { source, check in
        source.tryScan(0) { (sum: Int, value: Int) throws -> Int in
          try check(value)
          return sum + value
        }.inWords
      },
      typed: { source, check in
        source.tryScan(0) { (sum: Int, value: Int) throws(Failure) -> Int in
          try check(value)
          return sum + value
        }.inWords
      },
      fromNever: { source, check in
        source.tryScan(0) { (sum: Int, value: Int) throws(Failure) -> Int in
          try check(value)
          return sum + value
        }.inWords
      }
    )
    .changingNothing { base, rig in
      base.tryScan(0) { (_: Int, value: Int) throws(Failure) -> Int in rig.pass(value) }
        .eraseToAnyPublisher()
    }
  }

  private static var tryFilter: TryForm {
    TryForm(
      name: "tryFilter",
      untyped: { source, check in
        source.tryFilter { (value: Int) throws -> Bool in
          try check(value)
          return value.isMultiple(of: 2)
        }.inWords
      },
      typed: { source, check in
        source.tryFilter { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value.isMultiple(of: 2)
        }.inWords
      },
      fromNever: { source, check in
        source.tryFilter { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value.isMultiple(of: 2)
        }.inWords
      }
    )
    .changingNothing { base, rig in
      base.tryFilter { (_: Int) throws(Failure) -> Bool in rig.pass(true) }.eraseToAnyPublisher()
    }
  }

  private static var tryCompactMap: TryForm {
    TryForm(
      name: "tryCompactMap",
      untyped: { source, check in
        source.tryCompactMap { (value: Int) throws -> Int? in
          try check(value)
          return value.isMultiple(of: 2) ? value : nil
        }.inWords
      },
      typed: { source, check in
        source.tryCompactMap { (value: Int) throws(Failure) -> Int? in
          try check(value)
          return value.isMultiple(of: 2) ? value : nil
        }.inWords
      },
      fromNever: { source, check in
        source.tryCompactMap { (value: Int) throws(Failure) -> Int? in
          try check(value)
          return value.isMultiple(of: 2) ? value : nil
        }.inWords
      }
    )
    .changingNothing { base, rig in
      base.tryCompactMap { (value: Int) throws(Failure) -> Int? in rig.pass(value) }
        .eraseToAnyPublisher()
    }
  }

  private static var tryRemoveDuplicates: TryForm {
    TryForm(
      name: "tryRemoveDuplicates",
      untyped: { source, check in
        source.tryRemoveDuplicates { (last: Int, new: Int) throws -> Bool in
          try check(new)
          return last / 2 == new / 2
        }.inWords
      },
      typed: { source, check in
        source.tryRemoveDuplicates { (last: Int, new: Int) throws(Failure) -> Bool in
          try check(new)
          return last / 2 == new / 2
        }.inWords
      },
      fromNever: { source, check in
        source.tryRemoveDuplicates { (last: Int, new: Int) throws(Failure) -> Bool in
          try check(new)
          return last / 2 == new / 2
        }.inWords
      }
    )
    .changingNothing(trigger: .nothing) { base, _ in
      base.tryRemoveDuplicates { (last: Int, new: Int) throws(Failure) -> Bool in last == new }
        .eraseToAnyPublisher()
    }
  }

  private static var tryPrefix: TryForm {
    TryForm(
      name: "tryPrefix",
      skipped: [.promptEnd: "the first value that is not let through ends it"],
      untyped: { source, check in
        source.tryPrefix { (value: Int) throws -> Bool in
          try check(value)
          return value < 5
        }.inWords
      },
      typed: { source, check in
        source.tryPrefix { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 5
        }.inWords
      },
      fromNever: { source, check in
        source.tryPrefix { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 5
        }.inWords
      }
    )
    .changingNothing { base, rig in
      base.tryPrefix { (_: Int) throws(Failure) -> Bool in rig.pass(true) }.eraseToAnyPublisher()
    }
  }

  private static var tryDrop: TryForm {
    TryForm(
      name: "tryDrop",
      untyped: { source, check in
        source.tryDrop { (value: Int) throws -> Bool in
          try check(value)
          return value < 3
        }.inWords
      },
      typed: { source, check in
        source.tryDrop { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 3
        }.inWords
      },
      fromNever: { source, check in
        source.tryDrop { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 3
        }.inWords
      }
    )
    .changingNothing { base, rig in
      base.tryDrop { (_: Int) throws(Failure) -> Bool in rig.pass(false) }.eraseToAnyPublisher()
    }
  }

  private static var tryFirst: TryForm {
    TryForm(
      name: "tryFirst",
      untyped: { source, check in
        source.tryFirst { (value: Int) throws -> Bool in
          try check(value)
          return value == 3
        }.inWords
      },
      typed: { source, check in
        source.tryFirst { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value == 3
        }.inWords
      },
      fromNever: { source, check in
        source.tryFirst { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value == 3
        }.inWords
      }
    )
  }
}
