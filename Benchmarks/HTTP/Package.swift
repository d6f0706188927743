// swift-tools-version: 6.1
import PackageDescription

// For Linux: CurlTransport is there only.
let package = Package(
  name: "HTTPBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "RESTKit", path: "../.."),
    .package(name: "Benchmarks", path: ".."),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
  ],
  targets: [
    .target(name: "CBareCurl"),
    .executableTarget(
      name: "http-benchmark",
      dependencies: [
        "CBareCurl",
        .product(name: "Measuring", package: "Benchmarks"),
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ]),
    .executableTarget(
      name: "scale-benchmark",
      dependencies: [
        .product(name: "Measuring", package: "Benchmarks"),
        .product(name: "RESTKit", package: "RESTKit"),
        .product(name: "Streams", package: "RESTKit"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
