public import Observation
import Streams

/// The state of a screen that shows the notes.
@MainActor @Observable
public final class NotesModel {
  public private(set) var notes: [Note] = []
  /// The message for the user if the last call failed.
  public private(set) var problem: String?
  private let service: NotesService

  public init(service: NotesService) {
    self.service = service
  }

  /// Fetches the notes.
  public func load() async {
    do {
      notes = try await service.notes.value
      problem = nil
    } catch is CancellationError {
      // The screen has disappeared: nobody reads a message.
    } catch {
      problem = message(about: error)
    }
  }
}
