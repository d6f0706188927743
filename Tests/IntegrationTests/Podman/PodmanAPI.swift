#if os(Linux)
  import Foundation
  import RESTKit
  import Streams

  /// The API of podman's service at its unix socket.
  struct PodmanAPI: TypedFailureAPI {
    typealias Failure = PodmanFailure

    // The host is what podman is told; it takes any.
    let baseURL = "http://podman/v4.0.0/libpod"
    let transport: ObservedTransport
    let retry: RetryPolicy?

    init(socket: String, retry: RetryPolicy? = nil) throws {
      transport = ObservedTransport(try CurlTransport(addresses: .unixSocket(socket)))
      self.retry = retry
    }
  }

  /// What podman says about a request that it does not fulfil.
  struct PodmanRefusal: Decodable, Sendable, Equatable {
    let cause: String
    let message: String
    let response: Int
  }

  enum PodmanFailure: APIFailure {
    case refused(PodmanRefusal)
    case call(any Error)

    init(_ error: any Error) {
      let body = (error as? RESTError)?.body
      let refusal = body.flatMap { try? JSONDecoder().decode(PodmanRefusal.self, from: $0) }
      self = refusal.map(PodmanFailure.refused) ?? .call(error)
    }
  }

  struct PodmanVersion: Endpoint {
    struct Response: Decodable, Sendable {
      let version: String

      private enum CodingKeys: String, CodingKey { case version = "Version" }
    }

    let path: ResourcePath = "version"
  }

  // MARK: Volumes

  struct Volume: Decodable, Sendable, Equatable {
    let name: String
    let labels: [String: String]

    private enum CodingKeys: String, CodingKey {
      case name = "Name"
      case labels = "Labels"
    }
  }

  struct CreateVolume: Endpoint {
    typealias Response = Volume

    let name: String
    var labels: [String: String] = [:]

    let method = HTTPMethod.post
    let path: ResourcePath = "volumes/create"
    var body: RequestBody? {
      .json(["Name": .string(name), "Label": .object(labels.mapValues(JSONValue.string))])
    }
  }

  struct Volumes: Endpoint {
    typealias Response = [Volume]

    /// Names and values, as `name=value`.
    let labels: [String]

    let path: ResourcePath = "volumes/json"
    var query: QueryItems {
      let filters: JSONValue = ["label": .array(labels.map(JSONValue.string))]
      return ["filters": filters.text(redaction: .none)]
    }
  }

  struct RemoveVolume: Endpoint {
    typealias Response = Void

    let name: String

    let method = HTTPMethod.delete
    var path: ResourcePath { "volumes/\(name)" }
  }

  // MARK: Images

  /// Makes an image of the files in a tar archive.
  struct ImportImage: Endpoint {
    struct Response: Decodable, Sendable {
      let id: String

      private enum CodingKeys: String, CodingKey { case id = "Id" }
    }

    let archive: URL
    let name: String

    let method = HTTPMethod.post
    let path: ResourcePath = "images/import"
    var query: QueryItems { ["reference": name] }
    var body: RequestBody? { .file(archive, contentType: "application/x-tar") }
  }

  struct ExportImage: Endpoint {
    typealias Response = RESTResponse

    let name: String

    var path: ResourcePath { "images/\(name)/get" }
    let query: QueryItems = ["format": "docker-archive"]
  }

  /// Loads the images of an archive that ``ExportImage`` has made.
  struct LoadImages: Endpoint {
    struct Response: Decodable, Sendable {
      let names: [String]

      private enum CodingKeys: String, CodingKey { case names = "Names" }
    }

    let archive: URL

    let method = HTTPMethod.post
    let path: ResourcePath = "images/load"
    var body: RequestBody? { .file(archive, contentType: "application/x-tar") }
  }

  struct RemoveImage: Endpoint {
    typealias Response = Void

    let name: String

    let method = HTTPMethod.delete
    var path: ResourcePath { "images/\(name)" }
  }

  // MARK: Containers

  struct CreateContainer: Endpoint {
    struct Response: Decodable, Sendable {
      let id: String

      private enum CodingKeys: String, CodingKey { case id = "Id" }
    }

    let name: String
    let image: String
    let command: String

    let method = HTTPMethod.post
    let path: ResourcePath = "containers/create"
    var body: RequestBody? {
      .json(["name": .string(name), "image": .string(image), "command": [.string(command)]])
    }
  }

  struct RemoveContainer: Endpoint {
    typealias Response = Void

    let name: String

    let method = HTTPMethod.delete
    var path: ResourcePath { "containers/\(name)" }
  }
#endif
