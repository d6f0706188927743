import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

@Suite("The service of Docs/GettingStarted.md works as the guide says", .leakFree, .stubs)
struct GettingStartedTests {
  private static let notes = StubRequest(.get, urlString: "https://notes.example.com/notes")

  private func service(_ stubs: StubTransport) -> NotesService {
    NotesService(baseURL: "https://notes.example.com", transport: stubs)
  }

  @Test("Notes are fetched and added")
  func notes() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Self.notes,
        result: .json(#"[{"id": 1, "text": "Buy milk", "created_at": "2026-11-25T09:30:00Z"}]"#)),
      StubAPIResponse(
        request: StubRequest(.post, urlString: "https://notes.example.com/notes")
          .jsonBody(#"{"text": "Water the plants"}"#),
        statusCode: 201,
        result: .json(
          #"{"id": 2, "text": "Water the plants", "created_at": "2026-11-25T10:00:00Z"}"#)))
    #expect(
      try await service(stubs).notes.value == [
        Note(id: 1, text: "Buy milk", createdAt: Date(timeIntervalSince1970: 1_795_599_000))
      ])
    #expect(try await service(stubs).add("Water the plants").value.id == 2)
  }

  @Test("The model shows the notes, or a message")
  @MainActor
  func model() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Self.notes,
        result: .json(#"[{"id": 1, "text": "Buy milk", "created_at": "2026-11-25T09:30:00Z"}]"#)
      )
      .thenRespondWith(request: Self.notes, statusCode: 503))
    let model = NotesModel(service: service(stubs))
    await model.load()
    #expect(model.notes.map(\.text) == ["Buy milk"])
    #expect(model.problem == nil)
    await model.load()
    #expect(model.notes.map(\.text) == ["Buy milk"])
    #expect(model.problem == "That did not work. Please try again later.")
  }

  @Test("A failure is described in words for users")
  func messages() async {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.notes, statusCode: 404)
        .thenRespondWith(request: Self.notes, result: .fault(.connectionRefused))
        .thenRespondWith(request: Self.notes, result: .json("{}")))
    var messages: [String] = []
    for _ in 1...3 {
      do {
        _ = try await service(stubs).notes.value
      } catch {
        messages.append(message(about: error))
      }
    }
    #expect(
      messages == [
        "There is no such thing any more.", "The server cannot be reached. Are you online?",
        "That did not work. Please try again later.",
      ])
    #expect(message(about: TokenSessionError.signedOut) == "Please sign in again.")
  }

  @Test("A signed-in user stays signed in")
  func signedIn() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.notes.header("Authorization", "Bearer old"), statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://notes.example.com/auth/refresh"),
          result: .json(#"{"accessToken": "new"}"#)
        )
        .thenRespondWith(
          request: Self.notes.header("Authorization", "Bearer new"), result: .json("[]")))
    let service = try NotesService.signedIn(
      at: "https://notes.example.com",
      as: Credential(accessToken: "old", refreshToken: "refresh-1"), transport: stubs)
    #expect(try await service.notes.value.isEmpty)
  }

  @Test("The guide shows the current report of a failing test")
  func failing() async throws {
    var failures: [StubFailure] = []
    await StubTransport.verifyingAll {
      let stubs = StubTransport(
        StubAPIResponse(
          request: StubRequest(.post, urlString: "https://notes.example.com/notes")
            .jsonBody(#"{"text": "Water the plant"}"#),
          statusCode: 201, fileID: "NotesTests/NewNoteTests.swift", line: 13))
      _ = await #expect(throws: StubError.self) {
        try await service(stubs).add("Water the plants").value
      }
    } report: {
      failures.append($0)
    }
    let shown = try Guide(at: "Docs/GettingStarted.md").output("failing")
    #expect([shown] == failures.map(\.description))
  }
}
