"""A simulated SDK of Apple's systems for the compiler: README.md says what it is made of."""
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

STUBS = Path(__file__).resolve().parent / "stubs"
STDLIB = ["Swift", "_Builtin_float", "_Concurrency", "SwiftOnoneSupport", "_RegexParser",
          "_StringProcessing", "RegexBuilder"]
FEATURES = "-enable-experimental-feature Lifetimes -enable-experimental-feature LifetimeDependence"


# The types whose values an integer of 32 bits may not hold.
WIDE = ("Int64", "UInt64", "Int128", "UInt128", "UInt32")
NARROWING = ('@available(watchOS 11, *) @available(*, deprecated, message: "watchOS has an Int of 32 bits: this traps, or gives nil, for '
             'values that are valid elsewhere; keep Int64, or write Int(clamping:) or Int(exactly:)")')


class Unmakeable(Exception):
    """A module of the SDK does not compile."""


def front_end(arguments):
    """Runs the compiler. Returns its exit code and what it printed."""
    done = subprocess.run(
        ["nice", "swift-frontend", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class SDK:
    """Modules for Apple's target: the toolchain's own, printed and compiled anew, and the stubs."""

    def __init__(self, target, folder, open_combine):
        info = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))
        self.resources = Path(info["paths"]["runtimeResourcePath"])
        self.linux, self.linux_target = self.resources / "linux", info["target"]["triple"]
        self.target, self.folder, self.open_combine = target, folder, open_combine
        self.shims = folder / "shims"
        self.is32 = "_32-" in target
        self.flags = ["-target", target, "-sdk", folder, "-resource-dir", self.resources,
                      "-disable-objc-interop", "-I", folder, "-I", self.shims,
                      "-I", self.resources / "shims"]
        for stub in ("Darwin", "Compression"):
            self.flags += ["-I", STUBS / stub]

    @property
    def plugins(self):
        return self.resources / "host/plugins"

    def build_if_needed(self):
        """Makes the modules, unless they are there and of this toolchain and these stubs."""
        made_of = hashlib.sha256(subprocess.check_output(["swiftc", "--version"], stderr=subprocess.DEVNULL))
        for file in sorted(path for path in Path(__file__).parent.rglob("*") if path.is_file()):
            made_of.update(file.read_bytes())
        stamp = self.folder / "made-of"
        if stamp.exists() and stamp.read_text() == made_of.hexdigest():
            return
        self.build()
        stamp.write_text(made_of.hexdigest())

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "interfaces").mkdir(parents=True)
        self.shims.mkdir()
        (self.shims / "empty.h").touch()
        (self.shims / "module.modulemap").write_text("".join(
            f'module {name} {{ header "{header}" export * }}\n' for name, header in
            [("_DispatchOverlayShims", "empty.h"), ("COpenCombineHelpers", "COpenCombineHelpers.h")]))
        shutil.copy(self.open_combine / "COpenCombineHelpers/include/COpenCombineHelpers.h", self.shims)
        for module in STDLIB:
            self.standard(module)
        self.stub("Darwin", "-import-underlying-module")
        for module in ("Synchronization", "Observation"):
            self.standard(module)
        self.combine()
        self.stub("Dispatch")
        for module in ("FoundationEssentials", "FoundationInternationalization", "Foundation"):
            self.foundation(module)
        for module in ("Testing", "_Testing_Foundation"):
            self.standard(module)
        shutil.copytree(self.linux / "Testing.swiftcrossimport", self.folder / "Testing.swiftcrossimport")
        self.stub("XCTest")

    def standard(self, module):
        """Compiles the interface that the toolchain ships."""
        text = next((self.linux / f"{module}.swiftmodule").glob("*-gnu.swiftinterface")).read_text()
        text = text.replace(f"-target {self.linux_target}", f"-target {self.target}")
        text = text.replace("-target-min-inlining-version min", "")
        # These lack their bodies here.
        text = re.sub(r"(?m)^( *)@backDeployed\(before: [^)]*\)", r"\1", text)
        text = re.sub(r"(?m)^(@_exported )?(public )?import Glibc\n", "", text)
        text = text.replace("_swift_stdlib_gettid()", "(0 as Swift.UInt32)")
        text = re.sub(r"@available\(iOS 13.0, tvOS 13.0, watchOS 6.0, macOS 10.15, \*\)\n( *@_implements)",
                      r"@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)\n\1", text)
        if self.is32 and module == "Swift": text = narrowed(text)
        self.compile(module, text, ["-parse-stdlib"] if module == "Swift" else [])

    def foundation(self, module):
        """Compiles what the compiler prints of a binary module, less what is not public."""
        printed = self.folder / f"{module}.printed"
        binary = next((self.linux / f"{module}.swiftmodule").glob("*.swiftmodule"))
        code, out = front_end(["-merge-modules", "-emit-module", "-module-name", module, "-target",
                         self.linux_target, binary, "-o", self.folder / "unused", "-swift-version", "5",
                         "-I", self.resources, "-I", self.shims, "-emit-module-interface-path", printed])
        if code: raise Unmakeable(f"{module} cannot be printed:\n{out}")
        text = printed.read_text().replace(
            f"-target {self.linux_target}",
            f"-target {self.target} -enable-library-evolution -disable-objc-interop {FEATURES}")
        text = re.sub(r"\bGlibc\b", "Darwin", text).replace("@_hasInitialValue ", "")
        text = public_part(text)
        if module == "Foundation": text = darwin_foundation(text)
        self.compile(module, text)

    def combine(self):
        """OpenCombine's sources under Combine's name."""
        sources = self.folder / "Combine"
        shutil.copytree(self.open_combine / "OpenCombine", sources)
        files = [f for f in sources.rglob("*.swift")]
        for file in files:
            text = re.sub(r"\bOpenCombine\.", "Combine.", file.read_text())
            file.write_text(text.replace("#if !canImport(Combine)", "#if true"))
        self.emit("Combine", files, [])

    def stub(self, module, *extra):
        self.emit(module, (STUBS / module).glob("*.swift"), ["-enable-library-evolution", *extra])

    def emit(self, module, files, extra):
        self.must(module, ["-emit-module", "-parse-as-library", *self.flags, "-module-name", module,
                           "-swift-version", "5", *extra, "-o", self.folder / f"{module}.swiftmodule", *files])

    def compile(self, module, text, extra=()):
        file = self.folder / "interfaces" / f"{module}.swiftinterface"
        arguments = ["-compile-module-from-interface", *self.flags, "-module-name", module, *extra,
                     "-o", self.folder / f"{module}.swiftmodule", file]
        for _ in range(8):
            file.write_text(text)
            code, out = front_end(arguments)
            if code == 0: return
            lines = {int(n) for n in re.findall(rf"{module}\.swiftinterface:(\d+):\d+: error: (?!failed to build)", out)}
            if not lines: break
            text = without_bodies(text, lines)
        raise Unmakeable(f"{module} cannot be made for {self.target}:\n{out[-3000:]}")

    def must(self, module, arguments):
        code, out = front_end(arguments)
        if code: raise Unmakeable(f"{module} cannot be made for {self.target}:\n{out[-3000:]}")


def public_part(text):
    """Drops internal declarations, with the attributes above them."""
    out, attributes, depth = [], [], 0
    attribute = r"@\w+(\([^()]*(\([^()]*\))?[^()]*\))?"
    hidden = re.compile(rf"^\s*(({attribute}|final|lazy|weak|static|unowned|indirect|nonisolated\(unsafe\)|"
                        r"unowned\(unsafe\)) )*(internal|private|fileprivate)(\(set\))? ")
    for line in text.split("\n"):
        braces = line.count("{") - line.count("}")
        if depth: depth += braces; continue
        if re.match(rf"^\s*({attribute}\s*)+$", line): attributes.append(line); continue
        if hidden.match(line) and not re.search(r"\bpublic\b", line):
            attributes, depth = [], max(braces, 0)
            continue
        out += attributes + [line]
        attributes = []
    return "\n".join(out)


def darwin_foundation(text):
    """Puts in what Apple's Foundation has, and corelibs has elsewhere or not at all."""
    text = text.replace("@_transparent ", "")
    text = re.sub(r"(?m)^public var (NS\w+): ([\w.]+)$", r"public let \1: \2", text)
    text = re.sub(r"(?ms)^(?:@available[^\n]*\n)*extension (?:Dispatch\.DispatchData|"
                  r"Foundation\.(?:_MutablePair|__NSCFType|_\w+UseOnly) :)[^\n]*\{\n.*?^\}\n", "", text)
    text = re.sub(r"(@available\([^\n]*\)\n)?public typealias \w+ = Swift.AnyObject\n", "", text)
    text = text.replace("import Swift\n", "import Swift\nimport Combine\n", 1)
    return text + "".join(f.read_text() for f in sorted((STUBS / "Foundation").iterdir()))


def narrowed(text):
    """Gives Int and UInt 32 bits."""
    start = text.index("@frozen public struct UInt :")
    end = text.index("extension Swift.Int : Swift.Sendable")
    part = re.sub(r"Builtin\.Int64\b", "Builtin.Int32", text[start:end])
    part = re.sub(r"(Builtin\.\w+?)_Int64(?=\b|_)", r"\1_Int32", part)
    part = re.sub(r"(@_transparent public init\(_ source: Swift\.(?:Float|Double)\))", NARROWING + r" \1", part)
    text = text[:start] + part + text[end:]
    text = text.replace("@inlinable public func numericCast", f"{NARROWING} @inlinable public func numericCast")
    # An overload for the exact type is the better one, and its use is a diagnostic.
    for name in ("Int", "UInt"):
        inits = [f"public init(_ value: Swift.{wide})" for wide in WIDE]
        inits += [f"public init?(_ text: Swift.{words})" for words in ("String", "Substring")]
        text += "".join(f'extension Swift.{name} {{\n  {NARROWING}\n  {init}\n}}\n' for init in inits)
    return text


def without_bodies(text, numbers):
    """Empties the functions around some lines: a checker of types needs no bodies.

    An empty function is not transparent: in its callers, all behind it would be unreachable, and unchecked.
    """
    lines = text.split("\n")
    header = re.compile(r"\b(func|init|get|set|subscript|var|_read|_modify|unsafeAddress|deinit)\b[^{}]*\{$|^\s*\w+\s*\{$")
    for number in sorted(numbers, reverse=True):
        index = number - 1
        if re.search(r"\{.*\}\s*$", lines[index]):
            header_text = lines[index][:lines[index].index("{")].replace("@_transparent", "@inlinable")
            lines[index] = header_text + "{ Builtin.unreachable() }"
            continue
        depth, first = 0, index if lines[index].rstrip().endswith("{") else index - 1
        while first >= 0:
            opened = lines[first].count("{") - lines[first].count("}")
            depth += opened
            if depth > 0:
                if header.search(lines[first]): break
                depth = 0
            first -= 1
        depth, last = 0, first
        while True:
            depth += lines[last].count("{") - lines[last].count("}")
            if depth == 0: break
            last += 1
        lines[first] = lines[first].replace("@_transparent", "@inlinable")
        lines[first + 1:last] = ["Builtin.unreachable()"] + [""] * (last - first - 2)
    return "\n".join(lines)
