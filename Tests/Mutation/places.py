"""Finds the places of the sources that `mutants` can change, and their replacements.

The sources are laid out by `swift format`, so their text is enough to find conditions, operators,
literals, results and statements. A place that is found by mistake does not compile and is dropped.
"""
import collections
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# All modules but CCurl.
MODULES = sorted(folder.name for folder in (ROOT / "Sources").iterdir()
                 if any(folder.rglob("*.swift")))
# Its only addition to the standard library's mutex serves ThreadSanitizer.
UNTOUCHED = {"Sources/Streams/Locking/Lock.swift"}
SWITCH = "\0"  # Stands for `mutant(N)` until N is known.

# ---------------------------------------------------------------------------------------------------
# Reading Swift source as text

STRING = re.compile(r'#*("""|")')
REGEX = re.compile(r"#/(?s:.*?)/#|(?<=[\s(])/(?=[^\s/*])(?:\\.|[^/\\\n])+/")
KEYWORDS = "return if guard while for switch else in where case await throw do try try? try!".split()
LEFT_STOP = re.compile(
    r"(?:(?<![\w.])(?:%s)|(?:^|\s)(?:[-+*/|&^%%]?=|&[-+]=|\?|->)|:)\s$"
    % "|".join(map(re.escape, KEYWORDS)))
RIGHT_STOP = re.compile(r"\s+(?:(?:else|in|where)\b|[?:]\s|[-+*/|&^%]?=\s|&[-+]=\s|->)")
CARRIES_ON = re.compile(r"\s*(?:\.(?!\.)|\?\?|&&|\|\||[-+*/<>=!&|]=?=?\s|[?:]\s|->|(?:where|else)\b)")
LEFT_OPEN = re.compile(r"(?:[-+*/=<>&|?:,(\[]|->)$")
STATEMENT_KEYWORDS = re.compile(
    r"(?:let|var|return|if|guard|while|for|switch|case|default|do|repeat|func|init|deinit|struct|class|"
    r"enum|extension|actor|protocol|typealias|import|throw|break|continue|fallthrough|defer|static|"
    r"public|private|fileprivate|package|internal|final|mutating|nonisolated|subscript|get|set|else|"
    r"where|indirect|override|required|convenience|lazy|weak|unowned|consuming|borrowing|precedencegroup|"
    r"infix|prefix|operator|associatedtype|in|is|as|self\.init|super\.init|consume|discard)\b")
ON_LINUX = {"os(Linux)", "DEBUG", "canImport(FoundationNetworking)", "canImport(Glibc)"}


def end_of_string(text, start):
    """Returns the end of the string literal that begins here, including interpolations."""
    opening = STRING.match(text, start)
    quote, hashes = opening.group(1), "#" * (opening.start(1) - start)
    at = opening.end()
    while not text.startswith(quote + hashes, at):
        if not text.startswith("\\" + hashes, at):
            at += 1
            continue
        at += 1 + len(hashes)
        depth = 1 if text[at] == "(" else 0
        at += 1
        while depth:
            if STRING.match(text, at):
                at = end_of_string(text, at)
                continue
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
    return at + len(quote + hashes)


class Source:
    """A file: its text, its code (literals and comments blanked, same length) and its brackets."""

    def __init__(self, path):
        self.name = str(path.relative_to(ROOT))
        self.text = path.read_text()
        self.code = self.blanked(self.text)
        self.pairs, stack = {}, []
        for at, character in enumerate(self.code):
            if character in "([{":
                stack.append(at)
            elif character in ")]}":
                start = stack.pop()
                self.pairs[start], self.pairs[at] = at, start
        self.braces = [at for at in sorted(self.pairs) if self.code[at] == "{"]
        # Braces that follow a condition and do not open a closure in it.
        self.bodies = set()
        for match in re.finditer(r"(?<![\w.`$#])(?:if|while|for|switch) ", self.code):
            at = match.end()
            while at < len(self.code) and self.code[at] not in "{})]\n" or (
                    self.code[at] == "\n" and self.carries_on(at)):
                at = self.pairs[at] + 1 if self.code[at] in "([" else at + 1
            if self.code[at] == "{":
                self.bodies.add(at)

    @staticmethod
    def blanked(text):
        code, at = list(text), 0
        while at < len(text):
            if text.startswith("//", at):
                end = text.find("\n", at)
                code[at:end] = " " * (end - at)
            elif STRING.match(text, at):
                end = end_of_string(text, at)
                code[at:end] = '"' + "_" * (end - at - 2) + '"'
            elif REGEX.match(text, at):
                end = REGEX.match(text, at).end()
                code[at:end] = '"' + re.sub(r"[^\n]", "_", text[at + 1:end - 1]) + '"'
            else:
                end = at + 1
            at = end
        code = "".join(code)
        for match in re.finditer(r"\b(?:precondition|preconditionFailure|fatalError|assert)\(", code):
            end = code.find("\n", match.start())
            code = code[:match.start()] + " " * (end - match.start()) + code[end:]
        code = re.sub(
            r"@available\([^()]*\)", lambda found: re.sub(r"[^\n]", " ", found.group()), code)
        # Blanks code that is not compiled on this platform.
        lines, conditions = code.split("\n"), []
        for index, line in enumerate(lines):
            words = line.split(None, 1)
            if words and words[0] in ("#if", "#elseif", "#else", "#endif"):
                if words[0] != "#if":
                    before = conditions.pop()
                if words[0] in ("#if", "#elseif"):
                    holds = any(part.strip() in ON_LINUX for part in words[1].split("||"))
                    if words[0] == "#if":
                        conditions.append((holds, holds))
                    else:
                        conditions.append((holds and not before[1], holds or before[1]))
                elif words[0] == "#else":
                    conditions.append((not before[1], True))
                lines[index] = " " * len(line)
            elif not all(holds for holds, _ in conditions):
                lines[index] = " " * len(line)
        return "\n".join(lines)

    def carries_on(self, newline):
        """Whether the statement before a line break continues after it."""
        before = self.code[max(0, newline - 80):newline].rstrip()
        if before.endswith("{"):
            return False
        if CARRIES_ON.match(self.code, newline):
            return not before.endswith(":") or self.code[newline:].lstrip()[:1] != "."
        return bool(LEFT_OPEN.search(before)) and not before.endswith(":")

    def start(self, at):
        """Returns the start of the expression at this place."""
        while at > 0:
            before = self.code[at - 1]
            if before in ")]}":
                at = self.pairs[at - 1]
                continue
            if before in "([{,;" or before == "\n" and not self.carries_on(at - 1):
                break
            if before in " \n" and LEFT_STOP.search(self.code[max(0, at - 10):at]):
                break
            at -= 1
        return at + re.match(r"\s*", self.code[at:]).end()

    def end(self, at, stops=True):
        """Returns the end of the expression, or without `stops` the statement, at this place."""
        begun = at
        while at < len(self.code):
            character = self.code[at]
            if character in "([" or character == "{" and at not in self.bodies:
                at = self.pairs[at] + 1
                continue
            if character in ")]}{;" or character == "\n" and not self.carries_on(at):
                break
            if stops and (character in ",:" or RIGHT_STOP.match(self.code, at)):
                break
            at += 1
        return begun + len(self.code[begun:at].rstrip())

    def flat(self, start, end):
        """Returns the code with the content of brackets blanked."""
        parts, at = [], start
        while at < end:
            stop = self.pairs[at] + 1 if self.code[at] in "([{" else at + 1
            parts.append("_" * (stop - at) if stop > at + 1 else self.code[at])
            at = stop
        return "".join(parts)

    def around(self, at):
        """Returns the braces around a place, the innermost first."""
        return [brace for brace in reversed(self.braces) if brace < at < self.pairs[brace]]

    def header(self, brace):
        """Returns the text before a brace: a signature, a condition, or nothing."""
        at = brace
        while at > 0 and self.code[at - 1] not in "{}([":
            if self.code[at - 1] == "\n" and not self.carries_on(at - 1):
                break
            at = self.pairs[at - 1] if self.code[at - 1] in ")]" else at - 1
        return self.code[at:brace].strip()

    def line(self, at):
        start, end = self.text.rfind("\n", 0, at) + 1, self.text.find("\n", at)
        return self.text[start:end].strip()


# ---------------------------------------------------------------------------------------------------
# Finding mutants

Place = collections.namedtuple("Place", "file start end kind new")
COMPARISONS = {"==": "!=", "!=": "==", "===": "!==", "!==": "===",
               "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OTHERS = {"&&": "||", "||": "&&", "+": "-", "-": "+", "&+": "&-", "&-": "&+"}
NUMBERS = "Int|Int32|Int64|UInt|UInt8|UInt16|UInt32|UInt64|Double|TimeInterval"


def turned(text, number=False):
    """Returns an expression with another value. `try` and `await` stay in front."""
    prefix, rest = re.fullmatch(r"((?:try |await )*)(.*)", text, re.S).groups()
    if number:
        return f"{prefix}({rest}) + ({SWITCH} ? 1 : 0)"
    return f"{prefix}{SWITCH} != ({rest})"


def conditions(source):
    code, text = source.code, source.text
    for match in re.finditer(r"(?<![\w.`$#])(if|guard|while|where) ", code):
        if match[1] == "where" and not re.match(r"for |case ", source.line(match.start())):
            continue
        at = match.end()
        while True:
            end = source.end(at)
            is_boolean = not re.match(r"(?:let|var|case)\b|#|_ =", code[at:])
            while re.match(r"\s+[?:=]", code[end:]) or not is_boolean and code[end] == ":":
                is_boolean = False
                end = source.end(end + re.match(r"\s*[?:=]+\s*", code[end:]).end())
            if is_boolean and end > at:
                yield Place(source.name, at, end, "condition", turned(text[at:end]))
            if code[end] != ",":
                break
            at = end + 1 + re.match(r"\s*", code[end + 1:]).end()


def operators(source):
    code, text = source.code, source.text
    for match in re.finditer(r"(?<=\s)([=!]==?|[<>]=?|&&|\|\||&?[-+]|\?\?)(?=\s)", code):
        line = source.line(match.start())
        start, end = source.start(match.start()), source.end(match.end())
        if re.search(r"\bfunc \S+ ?\(", line) or start >= match.start() or end <= match.end():
            continue
        if re.search(r"\bwhere\b", line) and not re.match(r"for |case ", line):
            continue
        operator = match[1]
        if operator in ("+", "-") and '"' in code[start:end]:
            continue  # Strings have no subtraction.
        if operator == "??":
            flat = source.flat(start, end)
            lower = [(m.start() + start, m.end() + start)
                     for m in re.finditer(r"\s(?:&&|\|\||[=!]=|[<>]=?)\s", flat)]
            start = max([b for _, b in lower if b <= match.start()], default=start)
            end = min([a for a, _ in lower if a >= match.end()], default=end)
            new = f"({SWITCH} ? {text[match.end():end].strip()} : {text[start:end]})"
            yield Place(source.name, start, end, "default", new)
            continue
        kind = "comparison" if operator in COMPARISONS else "operator"
        other = {**COMPARISONS, **OTHERS}[operator]
        left, right = text[start:match.start()], text[match.end():end]
        new = f"({SWITCH} ? {left}{other}{right} : {text[start:end]})"
        yield Place(source.name, start, end, kind, new)


def literals(source, rng):
    code = source.code
    numeral = r"(?<![\w$#\"])(?<!(?<!\.)\.)(?:0x[0-9A-Fa-f_]+|\d[\d_]*)(?!\w)(?!\.\d)"
    for match in re.finditer(numeral, code):
        sign = "+" if re.fullmatch(r"0|0x0+", match[0]) else rng.choice("+-")
        if not re.match(r"@|#|case \w+ = ", source.line(match.start())):
            new = f"({match[0]} {sign} ({SWITCH} ? 1 : 0))"
            yield Place(source.name, match.start(), match.end(), "number", new)
    for match in re.finditer(r"(?<![\w.`])(true|false)\b(?!:)", code):
        if not re.match(r"case (?:true|false)", source.line(match.start())):
            new = "!" + SWITCH if match[1] == "true" else SWITCH
            yield Place(source.name, match.start(), match.end(), "literal", new)
    for match in re.finditer(r"(?<![\w.`])(min|max)\(", code):
        end = source.pairs[match.end() - 1] + 1
        if "func " not in source.line(match.start()):
            rest, other = source.text[match.end() - 1:end], "max" if match[1] == "min" else "min"
            new = f"({SWITCH} ? {other}{rest} : {match[1]}{rest})"
            yield Place(source.name, match.start(), end, "bound", new)


def results(source):
    code, text = source.code, source.text
    for match in re.finditer(r"(?:->|\w:) (Bool|%s) \{" % NUMBERS, code):
        body = match.end() - 1
        is_number = match[1] != "Bool"
        start = body + 1 + re.match(r"\s*", code[body + 1:]).end()
        places = []
        if source.end(start) == body + 1 + len(code[body + 1:source.pairs[body]].rstrip()) \
                and not STATEMENT_KEYWORDS.match(code, start):
            places.append((start, source.end(start)))
        for found in re.finditer(r"\breturn (?=\S)", code[body:source.pairs[body]]):
            at = body + found.end()
            inner = [brace for brace in source.around(at) if brace > body]
            if all(re.match(r"(?:\} )?(?:if|guard|else|for|while|switch|do|catch)\b",
                            source.header(brace)) or brace in source.bodies for brace in inner):
                places.append((at, source.end(at)))
        for at, end in places:
            if code[at:end] not in ("true", "false", "nil"):
                yield Place(source.name, at, end, "result", turned(text[at:end], is_number))


def statements(source):
    code, text = source.code, source.text
    starts = set()
    for match in re.finditer(r"^ *(?=[A-Za-z_(])", code, re.M):
        newline = match.start() - 1
        if newline > 0 and not source.carries_on(newline):
            starts.add(match.end())
    for brace in source.braces:
        if "\n" not in code[brace:source.pairs[brace]] and (
                re.match(r"(?:\} )?(?:if|guard|else|defer|deinit|for|while)\b", source.header(brace))
                or re.search(r"\bfunc\b(?!.*->)", source.header(brace))):
            starts.add(brace + 2)
    for match in re.finditer(r"^ *(?:case [^\n]*?|default):[ ]+(?=\S)", code, re.M):
        starts.add(match.end())
    for at in sorted(starts):
        end = source.end(at, stops=False)
        braces = source.around(at)
        inner = max((a for a in source.pairs if a < at < source.pairs[a]), default=-1)
        if not braces or inner != braces[0] or STATEMENT_KEYWORDS.match(code, at):
            continue
        flat = source.flat(at, end)
        statement = text[at:end]
        sum_up = re.search(r" (&?)([-+])= ", flat)
        assigned = re.match(r"(?:self\.)?(\w+)[^=]* = ", flat)
        header = source.header(braces[0])
        if code[braces[0] + 1:source.pairs[braces[0]]].strip() == code[at:end].strip() \
                and re.search(r"->\s*(?!Void|\(\))|\bvar \w+: ", header):
            continue
        if sum_up and '"' not in code[at:end]:
            a, b = at + sum_up.start(2), at + sum_up.end(2)
            other = text[at:a] + OTHERS[sum_up[2]] + text[b:end]
            new = f"if {SWITCH} {{ {other} }} else {{ {statement} }}"
            yield Place(source.name, at, end, "operator", new)
        if assigned or sum_up:
            if any(re.search(r"\binit[?(<]", source.header(brace)) for brace in braces) \
                    or assigned and re.search(r"\blet %s: [^=\n]*$" % assigned[1], code, re.M):
                continue
            kind = "assignment"
        elif re.fullmatch(r"(?:try[?!]? |await )*[\w.?!$_]+(?: _*)?", flat) and re.search(
                r"[)}]$", code[at:end]):
            kind = "call"
        else:
            continue
        if "reserveCapacity(" in statement:
            continue  # This call affects only the duration.
        yield Place(source.name, at, end, kind, f"if !{SWITCH} {{ {statement} }}")


def places(rng, under):
    """Returns all places of the files in some folders, or of all files, in a fixed order."""
    found = []
    wanted = [ROOT / "Sources" / name for name in under or MODULES]
    for module in MODULES:
        for path in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            if not any(path.is_relative_to(folder) for folder in wanted):
                continue
            source = Source(path)
            if source.name not in UNTOUCHED:
                for kind in (conditions(source), operators(source), literals(source, rng),
                             results(source), statements(source)):
                    found += kind
    return sorted(set(found))


def drawn(count, seed, under=()):
    """Returns the requested number of places, and some spares for those that do not compile."""
    rng = random.Random(seed)
    every = places(rng, under)
    rng.shuffle(every)
    taken = []
    for place in every:
        if len(taken) == count + max(count // 6, 5):
            break
        if not any(place.file == other.file and place.start < other.end and other.start < place.end
                   for other in taken):
            taken.append(place)
    return taken, len(every)
