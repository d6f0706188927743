// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "RESTKit", path: "..")],
  targets: [
    .executableTarget(
      name: "streams-benchmark", dependencies: [.product(name: "Streams", package: "RESTKit")])
  ],
  swiftLanguageModes: [.v6]
)
