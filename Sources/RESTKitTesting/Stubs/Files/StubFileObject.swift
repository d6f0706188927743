import Foundation
import RESTKit

/// An object in a file of stubs.
struct StubFileObject {
  /// The path of the file.
  let file: String
  /// The place in the file, such as `response`; empty for the file itself.
  private let place: String
  private let members: [String: JSONValue]

  /// - Parameter names: The members that the object may have; nil for any.
  init(
    _ json: JSONValue, at place: String, of file: String, names: [String]?
  ) throws(StubFileError) {
    guard case .object(let members) = json else {
      throw StubFileError(
        path: file, member: place.isEmpty ? nil : place, reason: "It must be an object.")
    }
    self.file = file
    self.place = place
    self.members = members
    guard let names, let other = members.keys.sorted().first(where: { !names.contains($0) }) else {
      return
    }
    throw error(other, "There is no such member. There are \(names.joined(separator: ", ")).")
  }

  /// The names of the members, sorted.
  var names: [String] { members.keys.sorted() }

  subscript(name: String) -> JSONValue? { members[name] }

  func error(_ name: String, _ reason: String) -> StubFileError {
    StubFileError(path: file, member: place(of: name), reason: reason)
  }

  /// Returns a member that is an object.
  func object(
    _ name: String, names: [String]? = nil
  ) throws(StubFileError) -> StubFileObject? {
    guard let json = members[name] else { return nil }
    return try StubFileObject(json, at: place(of: name), of: file, names: names)
  }

  func string(_ name: String) throws(StubFileError) -> String? {
    guard let json = members[name] else { return nil }
    guard let text = json.string else { throw error(name, "It must be a text.") }
    return text
  }

  func flag(_ name: String) throws(StubFileError) -> Bool {
    guard let json = members[name] else { return false }
    guard let flag = json.bool else { throw error(name, "It must be true or false.") }
    return flag
  }

  func integer(
    _ name: String, in range: ClosedRange<Int>
  ) throws(StubFileError) -> Int? {
    guard let json = members[name] else { return nil }
    guard let number = json.integer, range.contains(number) else {
      throw error(
        name,
        "It must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// Returns a time of at most a day.
  func seconds(_ name: String) throws(StubFileError) -> Duration {
    guard let json = members[name] else { return .zero }
    guard let seconds = json.number, (0...86_400).contains(seconds) else {
      throw error(name, "It must be a number of seconds from 0 to 86400.")
    }
    return .seconds(seconds)
  }

  /// Returns the JSON text of a member.
  func text(ofJSON name: String) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return members[name].flatMap { try? encoder.encode($0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private func place(of name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}
