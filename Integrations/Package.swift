// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that RESTKit depends on none of these.
let package = Package(
  name: "RESTKitIntegrations",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RESTKitAsyncHTTPClient", targets: ["RESTKitAsyncHTTPClient"]),
    .library(name: "RESTKitHTTPTypes", targets: ["RESTKitHTTPTypes"]),
    .library(name: "RESTKitObservability", targets: ["RESTKitObservability"]),
    .library(name: "StreamsCombine", targets: ["StreamsCombine"]),
  ],
  dependencies: [
    .package(name: "RESTKit", path: ".."),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", exact: "0.14.0"),
  ],
  targets: [
    .target(
      name: "RESTKitAsyncHTTPClient",
      dependencies: [
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: "AsyncHTTPClient/Sources"),
    .target(
      name: "RESTKitHTTPTypes",
      dependencies: [
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "HTTPTypes/Sources"),
    .target(
      name: "RESTKitObservability",
      dependencies: [
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Observability/Sources"),
    .target(
      name: "StreamsCombine",
      dependencies: [
        .product(name: "Streams", package: "RESTKit"),
        // Apple's systems have Combine.
        .product(
          name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
      ],
      path: "Combine/Sources"),
    .testTarget(
      name: "RESTKitAsyncHTTPClientTests",
      dependencies: [
        "RESTKitAsyncHTTPClient",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "RESTKitTesting", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ],
      path: "AsyncHTTPClient/Tests"),
    .testTarget(
      name: "RESTKitHTTPTypesTests",
      dependencies: [
        "RESTKitAsyncHTTPClient",
        "RESTKitHTTPTypes",
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "RESTKitTesting", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "StreamsTesting", package: "RESTKit"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "HTTPTypes/Tests"),
    .testTarget(
      name: "RESTKitObservabilityTests",
      dependencies: [
        "RESTKitObservability",
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "RESTKitTesting", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "StreamsTesting", package: "RESTKit"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ],
      path: "Observability/Tests"),
    .testTarget(
      name: "StreamsCombineTests",
      dependencies: [
        "StreamsCombine",
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "StreamsTesting", package: "RESTKit"),
        .product(
          name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
        .product(
          name: "OpenCombineDispatch", package: "OpenCombine",
          condition: .when(platforms: [.linux])),
        .product(
          name: "OpenCombineFoundation", package: "OpenCombine",
          condition: .when(platforms: [.linux])),
      ],
      path: "Combine/Tests"),
  ],
  swiftLanguageModes: [.v6]
)
