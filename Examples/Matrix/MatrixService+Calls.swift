public import Foundation
public import RESTKit
public import Streams

nonisolated extension MatrixService {
  public func createRoom(named name: String) -> MatrixPublisher<RoomID> {
    call(.post, "client/v3/createRoom", ["name": .string(name)]) { (room: NewRoom) in room.roomId }
  }

  public func join(_ room: RoomID) -> MatrixPublisher<Void> {
    call(.post, "client/v3/join/\(room)")
  }

  public func invite(_ user: String, to room: RoomID) -> MatrixPublisher<Void> {
    call(.post, "client/v3/rooms/\(room)/invite", ["user_id": .string(user)])
  }

  /// Sends a text; the server takes a transaction once, however often it is sent.
  public func send(
    _ text: String, to room: RoomID, transaction: String = UUID().uuidString
  ) -> MatrixPublisher<String> {
    call(
      .put, "client/v3/rooms/\(room)/send/m.room.message/\(transaction)",
      ["msgtype": "m.text", "body": .string(text)]
    ) { (event: SentEvent) in event.eventId }
  }

  /// The pages of a room's history from a place back to another, each fetched on demand.
  public func history(
    of room: RoomID, from start: String? = nil, to end: String? = nil, pageSize: Int = 50,
    reconnecting policy: ReconnectPolicy = ReconnectPolicy(maxFailures: 3)
  ) -> MatrixPublisher<MessagePage> {
    let page = { @Sendable (place: String?) in
      Call<MessagePage>(
        path: "client/v3/rooms/\(room)/messages",
        query: ["dir": "b", "limit": pageSize, "from": place, "to": end])
    }
    return longPoll(from: page(start), reconnecting: policy) { $1.end.map(page) }
  }

  /// What happens from a place on, each event once and none left out, until a sign-out ends it.
  public func updates(since place: String? = nil) -> MatrixPublisher<Update> {
    longPollExchanges(
      from: Sync(since: place), reconnecting: ReconnectPolicy(delay: .seconds(1))
    ) { Sync(since: $1.nextBatch) }
    .flatMap(maxPublishers: .max(1)) { sync, answer in update(answer, since: sync.since) }
    // The server may hold a request for half a minute after the sign-out.
    .merge(with: session.signOuts.tryMap { cause throws(Failure) in throw Failure(cause) })
    .eraseToAnyPublisher()
  }

  private func update(_ answer: Sync.Response, since place: String?) -> MatrixPublisher<Update> {
    (answer.rooms ?? [:]).values.flatMap { $0 }
      .map { id, room in events(of: room, in: RoomID(rawValue: id), since: place) }
      .merged().collect()
      .map { Update(nextBatch: answer.nextBatch, events: Dictionary($0, uniquingKeysWith: +)) }
      .eraseToAnyPublisher()
  }

  /// The events that the server sends, the latest ones, and before them those that it leaves out.
  private func events(
    of state: Sync.Room, in room: RoomID, since place: String?
  ) -> MatrixPublisher<(RoomID, [Event])> {
    let latest = state.timeline?.events ?? []
    guard state.timeline?.limited == true, let place, let start = state.timeline?.prevBatch else {
      return Just((room, latest)).setFailureType(to: MatrixFailure.self).eraseToAnyPublisher()
    }
    // Without a limit of failures: the gap is filled after a restart of the server, too.
    return history(of: room, from: start, to: place, reconnecting: ReconnectPolicy())
      .collect().map { (room, $0.flatMap(\.chunk).reversed() + latest) }.eraseToAnyPublisher()
  }

  public func users(matching term: String) -> MatrixPublisher<[DirectoryUser]> {
    call(.post, "client/v3/user_directory/search", ["search_term": .string(term)]) {
      (found: FoundUsers) in found.results
    }
  }

  /// Uploads a file, and returns its `mxc://` address.
  public func upload(
    _ file: URL, contentType: String,
    progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
  ) -> MatrixPublisher<String> {
    let media = Call<Media>(
      method: .post, path: "media/v3/upload", query: ["filename": file.lastPathComponent],
      body: .file(file, contentType: contentType))
    return upload(media).handleProgress(progress).decode(type: Media.self)
      .map(\.contentUri).eraseToAnyPublisher()
  }

  /// Fetches `mxc://server/media` to a file, with its progress.
  public func download(_ address: String, to file: URL) -> MatrixPublisher<DownloadEvent> {
    let parts = address.split(separator: "/")
    guard parts.count == 3, parts[0] == "mxc:" else {
      return Fail(error: .call(URLError(.badURL))).eraseToAnyPublisher()
    }
    return download(
      Call<Data>(path: "client/v1/media/download/\(parts[1])/\(parts[2])"), to: file)
  }
}
