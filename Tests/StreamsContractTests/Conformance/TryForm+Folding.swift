import Streams
import StreamsFixtures
import StreamsTesting

extension TryForm {
  /// Those that make one value of all.
  static var folding: [TryForm] {
    [tryLast, tryReduce, tryContains, tryAllSatisfy, tryMin, tryMax]
  }

  private static var tryLast: TryForm {
    TryForm(
      name: "tryLast", demand: .unlimited, result: "3",
      untyped: { source, check in
        source.tryLast { (value: Int) throws -> Bool in
          try check(value)
          return value < 5
        }.inWords
      },
      typed: { source, check in
        source.tryLast { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 5
        }.inWords
      },
      fromNever: { source, check in
        source.tryLast { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 5
        }.inWords
      }
    )
  }

  private static var tryReduce: TryForm {
    TryForm(
      name: "tryReduce", demand: .unlimited, result: "6",
      untyped: { source, check in
        source.tryReduce(0) { (sum: Int, value: Int) throws -> Int in
          try check(value)
          return sum + value
        }.inWords
      },
      typed: { source, check in
        source.tryReduce(0) { (sum: Int, value: Int) throws(Failure) -> Int in
          try check(value)
          return sum + value
        }.inWords
      },
      fromNever: { source, check in
        source.tryReduce(0) { (sum: Int, value: Int) throws(Failure) -> Int in
          try check(value)
          return sum + value
        }.inWords
      }
    )
  }

  private static var tryContains: TryForm {
    TryForm(
      name: "tryContains", demand: .unlimited, result: "false",
      untyped: { source, check in
        source.tryContains { (value: Int) throws -> Bool in
          try check(value)
          return value == 4
        }.inWords
      },
      typed: { source, check in
        source.tryContains { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value == 4
        }.inWords
      },
      fromNever: { source, check in
        source.tryContains { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value == 4
        }.inWords
      }
    )
  }

  private static var tryAllSatisfy: TryForm {
    TryForm(
      name: "tryAllSatisfy", demand: .unlimited, result: "true",
      untyped: { source, check in
        source.tryAllSatisfy { (value: Int) throws -> Bool in
          try check(value)
          return value < 4
        }.inWords
      },
      typed: { source, check in
        source.tryAllSatisfy { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 4
        }.inWords
      },
      fromNever: { source, check in
        source.tryAllSatisfy { (value: Int) throws(Failure) -> Bool in
          try check(value)
          return value < 4
        }.inWords
      }
    )
  }

  private static var tryMin: TryForm {
    TryForm(
      name: "tryMin", demand: .unlimited, result: "1",
      untyped: { source, check in
        source.tryMin { (a: Int, b: Int) throws -> Bool in
          try check(a)
          return a < b
        }.inWords
      },
      typed: { source, check in
        source.tryMin { (a: Int, b: Int) throws(Failure) -> Bool in
          try check(a)
          return a < b
        }.inWords
      },
      fromNever: { source, check in
        source.tryMin { (a: Int, b: Int) throws(Failure) -> Bool in
          try check(a)
          return a < b
        }.inWords
      }
    )
  }

  private static var tryMax: TryForm {
    TryForm(
      name: "tryMax", demand: .unlimited, result: "3",
      untyped: { source, check in
        source.tryMax { (a: Int, b: Int) throws -> Bool in
          try check(b)
          return a < b
        }.inWords
      },
      typed: { source, check in
        source.tryMax { (a: Int, b: Int) throws(Failure) -> Bool in
          try check(b)
          return a < b
        }.inWords
      },
      fromNever: { source, check in
        source.tryMax { (a: Int, b: Int) throws(Failure) -> Bool in
          try check(b)
          return a < b
        }.inWords
      }
    )
  }
}
