import Foundation
import RESTKit
import Testing

/// The JSON and CSV of Datasette over a database of packages.
struct DatasetteAPI: TypedFailureAPI {
  typealias Failure = DatasetteFailure

  let baseURL: String
  let transport: any Transport

  init(_ transport: any Transport) throws {
    baseURL = try #require(ProcessInfo.processInfo.environment["RESTKIT_DATASETTE_URL"])
    self.transport = transport
  }

  init(_ kind: TransportKind) throws {
    try self.init(kind.makeTransport())
  }
}

/// What Datasette says about a request that it does not fulfil.
struct DatasetteRefusal: Decodable, Sendable, Equatable {
  let error: String
  let title: String?
  /// Nil for an error of SQL itself.
  let status: Int?
}

enum DatasetteFailure: APIFailure {
  case refused(DatasetteRefusal)
  case call(any Error)

  init(_ error: any Error) {
    let body = (error as? RESTError)?.body
    let refusal = body.flatMap { try? JSONDecoder().decode(DatasetteRefusal.self, from: $0) }
    self = refusal.map(DatasetteFailure.refused) ?? .call(error)
  }
}

struct Package: Decodable, Sendable, Equatable {
  let id: Int
  let name: String
  let summary: String
  let downloads: Int
  let license: String?
}

/// The packages in pages, each with a link to the next one.
struct Packages: Endpoint {
  typealias Response = [Package]

  var pageSize = 100
  /// Conditions and the order, such as `["license": "MIT", "_sort": "name"]`.
  var conditions: QueryItems = []

  let path: ResourcePath = "index/packages.json"
  var query: QueryItems { ["_shape": "array", "_size": pageSize] + conditions }
}

/// The packages line by line.
struct PackageLines: Endpoint {
  typealias Response = JSONLines<Package>

  let path: ResourcePath = "index/packages.json"
  let query: QueryItems = ["_shape": "array", "_nl": "on", "_size": "max"]
}

struct PackageSearch: Endpoint {
  typealias Response = [Package]

  let text: String

  let path: ResourcePath = "index/packages.json"
  var query: QueryItems { ["_shape": "array", "_search": text] }
}

/// The rows of a query, which may have any columns.
struct SQLQuery: Endpoint {
  typealias Response = JSONValue

  let sql: String
  var values: QueryItems = []

  let path: ResourcePath = "index.json"
  var query: QueryItems { ["sql": sql, "_shape": "array"] + values }
}

/// All packages as CSV, which the server writes while it is sent.
struct PackagesCSV: Endpoint {
  typealias Response = RESTResponse

  let path: ResourcePath = "index/packages.csv"
  let query: QueryItems = ["_stream": "on"]
}
