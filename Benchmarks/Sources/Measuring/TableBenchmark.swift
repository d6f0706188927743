import Foundation

/// A program that measures, prints one table, and optionally writes it into a document.
public enum TableBenchmark {
  /// Runs the program `NAME [--write FILE]` and ends the process.
  ///
  /// The exit status is 2 for an invalid command line, and 1 if the figures are not valid.
  ///
  /// - Parameters:
  ///   - name: The name of the program and of the document's part.
  ///   - makeTable: A closure that measures and returns the rows.
  public static func run(_ name: String, makeTable: () async throws -> [String]) async -> Never {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      let document = arguments.first == "--write" ? arguments.dropFirst().first : nil
      guard arguments.isEmpty || (document != nil && arguments.count == 2) else {
        throw BadOption("\(name) [--write FILE]")
      }
      let table = try await makeTable().joined(separator: "\n")
      print(table)
      if let document { try Document(part: name).replacePart(of: document, by: table) }
      exit(0)
    } catch let error as BadOption {
      say(error.reason)
      exit(2)
    } catch let error as Unsound {
      say("The figures are not valid: \(error.reason)")
    } catch {
      say("\(error)")
    }
    exit(1)
  }
}
