import Foundation
import RESTKit
public import Streams

/// `POST notes` with a text, answered with the note.
struct NewNote: Endpoint {
  typealias Response = Note
  let text: String

  var method: HTTPMethod { .post }
  var path: ResourcePath { "notes" }
  var body: RequestBody? { .json(["text": text]) }
  var decoder: JSONDecoder { .notes }
}

extension NotesService {
  /// Writes a note down; gives it as the server keeps it.
  public func add(_ text: String) -> AnyPublisher<Note, any Error> {
    api.publisher(for: NewNote(text: text))
  }
}
