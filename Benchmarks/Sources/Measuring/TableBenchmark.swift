import Foundation

/// A program that measures, prints one table, and puts it into a document if it is asked to.
public enum TableBenchmark {
  /// Runs the program `NAME [--write FILE]` and ends the process: with 2 for a command line that it
  /// does not know, with 1 where the figures would be worth nothing.
  ///
  /// - Parameters:
  ///   - name: The program's name, and that of the document's part.
  ///   - makeTable: Measures, and gives the rows.
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
      say("The figures would be worth nothing: \(error.reason)")
    } catch {
      say("\(error)")
    }
    exit(1)
  }
}
