// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    // For the benchmarks in HTTP/, a package of their own: their peers take minutes to build.
    .library(name: "Measuring", targets: ["CAllocations", "Measuring"])
  ],
  dependencies: [
    .package(name: "RESTKit", path: ".."),
    .package(name: "RESTKitIntegrations", path: "../Integrations"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
  ],
  targets: [
    // Each library's cases are a module of their own: two of them name their types alike.
    .target(name: "CAllocations"),
    .target(name: "Measuring", dependencies: ["CAllocations"]),
    .target(name: "Cases", dependencies: ["CAllocations"]),
    .target(
      name: "StreamsCases",
      dependencies: ["Cases", .product(name: "Streams", package: "RESTKit")]),
    .target(
      name: "OpenCombineCases",
      dependencies: [
        "Cases",
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ]),
    .target(
      name: "AsyncCases",
      dependencies: [
        "Cases", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ]),
    .target(
      name: "BridgeCases",
      dependencies: [
        "Cases",
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "Streams", package: "RESTKit"),
        .product(name: "StreamsCombine", package: "RESTKitIntegrations"),
      ]),
    .target(name: "PlainCases", dependencies: ["Cases"]),
    .executableTarget(
      name: "streams-benchmark",
      dependencies: [
        "CAllocations", "Measuring", "Cases", "StreamsCases", "OpenCombineCases", "AsyncCases",
        "BridgeCases", "PlainCases",
      ]),
    .executableTarget(
      name: "json-benchmark",
      dependencies: [
        "Measuring", .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ]),
    .executableTarget(
      name: "lines-benchmark",
      dependencies: [
        "CAllocations", "Measuring", .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ]),
    .executableTarget(
      name: "session-benchmark",
      dependencies: [
        "Measuring", .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ]),
    .executableTarget(
      name: "stub-benchmark",
      dependencies: [
        "CAllocations", "Measuring", .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "RESTKitTesting", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
