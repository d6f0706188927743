// swift-tools-version: 6.1
import PackageDescription

let layers: [Target.Dependency] = [
  "Fixtures", "HTTPTransport", "HTTPWire", "IdentityKit", "RESTKit", "RESTKitReports",
  "RESTKitSignIn", "RESTKitTesting", "Streams", "StreamsTesting",
]

let package = Package(
  name: "RESTKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Streams", targets: ["Streams"]),
    .library(name: "RESTKit", targets: ["RESTKit"]),
    .library(name: "RESTKitSignIn", targets: ["RESTKitSignIn"]),
    .library(name: "IdentityKit", targets: ["IdentityKit"]),
    .library(name: "RESTKitReports", targets: ["RESTKitReports"]),
    .library(name: "StreamsTesting", targets: ["StreamsTesting"]),
    .library(name: "RESTKitTesting", targets: ["RESTKitTesting"]),
    .library(name: "RESTKitTestingTraits", targets: ["RESTKitTestingTraits"]),
  ],
  traits: [
    .trait(
      name: "LinkedCurl",
      description: "Links libcurl and zlib rather than open them at run time: for static binaries.")
  ],
  targets: [
    .target(name: "Streams"),
    .target(
      name: "CCurl",
      cSettings: [.define("RESTKIT_LINKED_CURL", .when(traits: ["LinkedCurl"]))],
      linkerSettings: [
        .linkedLibrary("curl", .when(platforms: [.linux], traits: ["LinkedCurl"])),
        .linkedLibrary("z", .when(platforms: [.linux], traits: ["LinkedCurl"])),
      ]),
    .target(name: "HTTPWire", dependencies: ["Streams"]),
    .target(
      name: "HTTPTransport",
      dependencies: [
        "HTTPWire", "Streams", .target(name: "CCurl", condition: .when(platforms: [.linux])),
      ]),
    // Re-exports the two before it, which are no products: its users see one module.
    .target(name: "RESTKit", dependencies: ["HTTPTransport", "HTTPWire", "Streams"]),
    // Apart, so that an app that only renews tokens does not carry it.
    .target(name: "RESTKitSignIn", dependencies: ["RESTKit", "Streams"]),
    .target(name: "IdentityKit", dependencies: ["RESTKit", "Streams"]),
    // Apart, so that an app that only makes calls does not carry them.
    .target(name: "RESTKitReports", dependencies: ["RESTKit", "Streams"]),
    .target(name: "StreamsTesting", dependencies: ["Streams"]),
    .target(
      name: "RESTKitTesting",
      dependencies: ["RESTKit", "RESTKitReports", "Streams", "StreamsTesting"]),
    // Apart, since it links Swift Testing: RESTKitTesting works without a test library.
    .target(name: "RESTKitTestingTraits", dependencies: ["RESTKit", "RESTKitTesting"]),
    .executableTarget(
      name: "quickstart",
      dependencies: ["IdentityKit", "RESTKit", "RESTKitReports", "RESTKitTesting", "Streams"],
      path: "Examples/quickstart"),
    .executableTarget(
      name: "livestream", dependencies: ["RESTKit", "RESTKitTesting", "Streams"],
      path: "Examples/livestream"),
    .executableTarget(
      name: "devicesignin", dependencies: ["RESTKit", "RESTKitSignIn", "Streams"],
      path: "Examples/devicesignin"),
    .target(
      name: "Profile", dependencies: ["IdentityKit", "RESTKit", "Streams"],
      path: "Examples/Profile"),
    .target(name: "PetSave", dependencies: ["RESTKit", "Streams"], path: "Examples/PetSave"),
    .target(
      name: "DogPatch", dependencies: ["RESTKit", "Streams"], path: "Examples/DogPatch"),
    .target(name: "Movies", dependencies: ["RESTKit", "Streams"], path: "Examples/Movies"),
    .target(
      name: "NetworkManager", dependencies: ["RESTKit", "Streams"],
      path: "Examples/NetworkManager"),
    .target(name: "Matrix", dependencies: ["RESTKit", "Streams"], path: "Examples/Matrix"),
    .target(
      name: "StreamsFixtures", dependencies: ["Streams", "StreamsTesting"],
      path: "Tests/StreamsFixtures"),
    .testTarget(
      name: "StreamsTests", dependencies: ["Streams", "StreamsFixtures", "StreamsTesting"]),
    // What holds for every operator: CI runs these in release mode and under ThreadSanitizer, too.
    .testTarget(
      name: "StreamsContractTests", dependencies: ["Streams", "StreamsFixtures", "StreamsTesting"]),
    .testTarget(name: "StreamsTestingTests", dependencies: ["Streams", "StreamsTesting"]),
    // What the tests of several layers use.
    .target(
      name: "Fixtures",
      dependencies: ["IdentityKit", "RESTKit", "RESTKitTesting", "Streams", "StreamsTesting"],
      path: "Tests/Fixtures", exclude: ["Corpus"]),
    // The tests of RESTKit, from the wire up: a target for each layer, so that a change in one builds
    // and runs its own.
    .testTarget(name: "WireTests", dependencies: layers),
    .testTarget(name: "TransportTests", dependencies: layers),
    .testTarget(name: "CacheTests", dependencies: layers),
    .testTarget(name: "SessionTests", dependencies: layers),
    .testTarget(name: "CallTests", dependencies: layers),
    .testTarget(name: "APITests", dependencies: layers),
    .testTarget(name: "RESTKitSignInTests", dependencies: layers),
    .testTarget(name: "IdentityKitTests", dependencies: layers),
    .testTarget(name: "RESTKitReportsTests", dependencies: layers),
    .testTarget(name: "SecurityTests", dependencies: layers),
    // On several threads: CI runs these under ThreadSanitizer, too.
    .testTarget(name: "ThreadTests", dependencies: layers),
    // The whole client in simulated worlds: CI runs these in release mode, too.
    .testTarget(name: "WorldTests", dependencies: layers),
    .testTarget(
      name: "RESTKitTestingTests",
      dependencies: [
        "RESTKit", "RESTKitTesting", "RESTKitTestingTraits", "Streams", "StreamsTesting",
      ]),
    // Compiles and runs what README.md and Docs/ show.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "HTTPWire", "IdentityKit", "RESTKit", "RESTKitReports", "RESTKitSignIn", "RESTKitTesting",
        "RESTKitTestingTraits", "Streams", "StreamsTesting",
      ],
      exclude: ["Snippets/Testing/Fixtures"]),
    .testTarget(
      name: "ProfileTests", dependencies: ["Profile", "RESTKitTesting", "StreamsTesting"],
      path: "Tests/Examples/ProfileTests"),
    .testTarget(
      name: "PetSaveTests", dependencies: ["PetSave", "RESTKitTesting", "StreamsTesting"],
      path: "Tests/Examples/PetSaveTests"),
    .testTarget(
      name: "DogPatchTests", dependencies: ["DogPatch", "RESTKitTesting", "StreamsTesting"],
      path: "Tests/Examples/DogPatchTests"),
    .testTarget(
      name: "MoviesTests", dependencies: ["Movies", "RESTKitTesting"],
      path: "Tests/Examples/MoviesTests", exclude: ["Fixtures"]),
    .testTarget(
      name: "NetworkManagerTests",
      dependencies: ["NetworkManager", "RESTKitTesting", "StreamsTesting"],
      path: "Tests/Examples/NetworkManagerTests"),
    .testTarget(
      name: "MatrixTests",
      dependencies: ["Matrix", "RESTKitTesting", "RESTKitTestingTraits", "StreamsTesting"],
      path: "Tests/Examples/MatrixTests"),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "Fixtures", "Matrix", "RESTKit", "RESTKitReports", "RESTKitSignIn", "RESTKitTesting",
        "Streams", "StreamsTesting", "devicesignin",
      ],
      exclude: ["Servers", "peers.sh", "requirements.txt", "run.sh"]),
  ],
  swiftLanguageModes: [.v6]
)

// On Apple's systems Foundation and Dispatch load Combine. Without this feature its members, such as
// `publisher`, would be seen in each file and be ambiguous beside those of Streams.
for target in package.targets where target.name != "CCurl" {
  target.swiftSettings = [.enableUpcomingFeature("MemberImportVisibility")]
}

// Apple's stores ask why a library reads the time stamps of files. Elsewhere a resource would only make a
// bundle, and link Foundation's code for it.
let manifest = "PrivacyInfo.xcprivacy"
for target in package.targets where target.name == "RESTKit" {
  #if os(Linux)
    target.exclude.append(manifest)
  #else
    target.resources = [.copy(manifest)]
  #endif
}

// CI runs some tests under a sanitizer or in release mode, and builds no others for that:
// RESTKIT_TESTS=StreamsContractTests,WorldTests.
if let names = Context.environment["RESTKIT_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.isTest && !names.contains($0.name) }
}
