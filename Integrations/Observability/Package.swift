// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "RESTKitObservability",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RESTKitObservability", targets: ["RESTKitObservability"])
  ],
  dependencies: [
    .package(name: "RESTKit", path: "../.."),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
  ],
  targets: [
    .target(
      name: "RESTKitObservability",
      dependencies: [
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
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
      ]),
  ],
  swiftLanguageModes: [.v6]
)
