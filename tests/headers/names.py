#!/usr/bin/env python3
"""names.py SOURCE [-v]: counts the public names of each header that a program includes, and compares with the table of docs/design.md.

A name of a namespace is counted once: a type, function (with its overloads) or object of the files that a header includes, except files
of rows above. Not counted are namespace detail, declarations that are marked "Internal:", and macros. -v prints the names.
"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
headers = {str(path.relative_to(root)): path for root in [source / "include", *source.glob("components/*/include")]
           for path in root.rglob("*.h*")}
NOISE = re.compile(r'\[\[.*?\]\]|\b(alignas|__attribute__|requires|decltype|noexcept)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|'
                   r'\b(TUTTI\w*_API|inline|constexpr|extern|typedef|static|const)\b|"[^"]*"', re.DOTALL)


def after_template(text):
    """The declaration without its template <...>."""
    while match := re.match(r"\s*template\s*<", text):
        depth, at = 1, match.end()
        while depth:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        text = text[at:]
    return text


def name_in(text, has_body):
    """The name that a declaration adds to its namespace; none for a forward declaration or a specialisation."""
    text = NOISE.sub(" ", after_template(text)).strip()
    if re.match(r"(friend|static_assert|using\s+(namespace\s|detail::))|enum$", text) or "\x01" in text:
        return None
    if match := re.match(r"(?:using|concept)\s+(?:\w+::)*(\w+)\s*(?:=|$)", text):
        return match[1]
    if match := re.search(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(\w+)\s*(<)?(?:[^(]*)$", text):
        twice = re.match(r"(?:struct|enum)\s+\w+[\s*]+(\w+)$", text)  # of C, after typedef
        return twice[1] if twice else match[1] if has_body and not match[2] else None
    if "=" in text.split("(")[0] and "operator" not in text:
        text = text.split("=")[0].strip()
    pointer = r"\(\s*\*\s*(\w+)\s*\)"  # the typedef of C for a function
    match = re.search(pointer, text) or re.search(r"(operator\s*[^\s\w(]+|\b\w+)\s*\(", text) or re.search(r"(\w+)\s*$", text)
    return match[1] if match else None


def names_in(text):
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*", "", text, flags=re.MULTILINE)
    text = re.sub(r"//.*", lambda comment: "\x01" if "Internal:" in comment[0] else "", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    names, spaces, statement, depth = set(), [], "", 0
    for char in text:
        if depth:  # in a body
            depth += {"{": 1, "}": -1}.get(char, 0)
        elif char == "}":
            spaces, statement = spaces[:-1], ""
        elif char == "{" and (match := re.match(r'\s*(?:inline\s+)?(?:namespace\s*([\w:]*)|extern\s*"")\s*$', statement)):
            spaces, statement = spaces + ["" if "inline" in statement else match[1] or ""], ""
        elif char == ";" or char == "{":
            rest = after_template(statement)
            flat = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", rest)
            goes_on = char == "{" and (rest.count("(") != rest.count(")") or re.match(r"\s*(concept|using)\b", rest) or
                                       re.search(r"\brequires\s*(\([^()]*\))?\s*$", rest) or re.search(r"\w\s*=[^=]*$", flat))
            depth = int(char == "{")
            if not goes_on:
                space = "::".join(filter(None, spaces)).replace("tutti::v0_1", "").strip(":")
                if "detail" not in space and (name := name_in(statement, char == "{")):
                    names.add(f"{space}::{name}".strip(":"))
                statement = ""
        else:
            statement += char
    return names


rows = re.findall(r"^\| `(tutti/\w+\.h\w*)` \|[^|]*\| (\d+) \| (\d+) \|$", (source / "docs/design.md").read_text(), re.MULTILINE)
seen, failures = set(), [] if rows else ["docs/design.md has no table"]
for header, stated, limit in rows:
    files, names = [header], set()
    for name in files:
        if name in headers and name not in seen:
            seen.add(name)
            names |= names_in(text := headers[name].read_text())
            files += re.findall(r"#\s*include\s*<(tutti/[^>]+)>", text)
    print(f"{len(names):4} {header}", *(sorted(names) if "-v" in sys.argv else []))
    if not len(names) == int(stated) <= int(limit):
        failures += [f"{header} has {len(names)} names, but docs/design.md has {stated}, with a limit of {limit}: {sorted(names)}"]
failures += [f"{name} has no row in docs/design.md, and no row includes it" for name in sorted(set(headers) - seen)]
print(*failures, sep="\n")
sys.exit(bool(failures))
