#!/usr/bin/env python3
"""The reference, from the comments of the headers.

    reference.py man FOLDER       writes a manual page of section 3 for every function, and gpcl(3)
    reference.py functions        prints the functions' names
    reference.py filter FILE      prints a header, or a page in Markdown, as Doxygen reads it

A comment belongs to the declarations that follow it without an empty line. A page holds what one
comment says. Functions that share it have a page each that leads there. What gp_enqueue_NAME says
stands on the page of gp_NAME, or of gp_buffer_NAME.

SPDX-License-Identifier: MIT
"""
import argparse
import datetime
import os
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include" / "gpcl"
HEADERS = (INCLUDE / "gpcl.h", INCLUDE / "opencl.h")
WIDTH = 97  # of a comment's text
# Types that gpcl(3) has, so that no other page repeats them.
EVERYWHERE = {"gp_status", "gp_dtype", "gp_context", "gp_buffer", "gp_event", "gp_kernel"}


@dataclass
class Item:
    """A declaration: a function, a structure, an enumeration, or another type."""
    kind: str
    name: str
    text: str
    comment: str
    members: list = field(default_factory=list)  # (declaration, comment)


@dataclass
class Section:
    title: str
    items: list = field(default_factory=list)
    notes: list = field(default_factory=list)  # comments that belong to no declaration


def plain(comment):
    """The text between the marks of a comment, its lines as they are."""
    body = re.sub(r"^/\*+ ?|\s*\*/$", "", comment.strip())
    first, *rest = body.split("\n")
    return "\n".join([first.rstrip(), *(re.sub(r"^\s*\* ?", "", line).rstrip() for line in rest)])


def one_line(text):
    return " ".join(text.split())


def members_of(body):
    """The members of a structure or an enumeration, with what stands behind them."""
    # The last enumerator has no comma.
    pattern = re.compile(r"\s*(?:/\*.*?\*/\s*)?"  # a comment above
                         r"(?P<declaration>[^;,/{}]+?)\s*(?:[;,]|(?=/\*)|$)"
                         r"[ \t]*(?P<comment>/\*.*?\*/)?", re.S)
    position = 0
    while match := pattern.match(body, position):
        if match.end() == position:
            break
        position = match.end()
        if match["declaration"].strip():
            comment = match["comment"]
            yield one_line(match["declaration"]), one_line(plain(comment)) if comment else ""


TOKEN = re.compile(
    r"(?P<ruler>/\* ---- (?P<title>.*?) -+ \*/)"
    r"|(?P<comment>/\*.*?\*/)"
    r"|(?P<directive>^#(?:[^\n]*\\\n)*[^\n]*)"
    r"|(?P<extern>extern \"C\" \{|^\}$)"
    r"|(?P<function>^GP_API (?P<function_text>[^;]*);)"
    r"|(?P<struct>^typedef struct (?P<struct_name>\w+) \{(?P<struct_body>.*?)^\} \w+;)"
    r"|(?P<enum>^enum (?P<enum_name>\w+) \{(?P<enum_body>.*?)\};)"
    r"|(?P<type>^typedef [^{;]*?(?P<type_name>\w+);(?P<type_comment>[ \t]*/\*.*?\*/)?)",
    re.S | re.M)


def parse(path):
    """The comment at the top of a header, and its sections."""
    text = path.read_text()
    head, sections, comment, end = None, [Section("")], "", 0
    for token in TOKEN.finditer(text):
        between = text[end:token.start()]
        if between.strip():
            sys.exit(f"{path}: not understood: {between.strip()[:60]}")
        if comment and between.count("\n") > 1:  # an empty line
            if head is None:
                head = comment
            else:
                sections[-1].notes.append(comment)
            comment = ""
        end = token.end()
        if token["ruler"]:
            sections.append(Section(token["title"]))
        elif token["comment"]:
            comment = plain(token["comment"])
        elif token["directive"] or token["extern"]:
            if head is None and comment:
                head = comment
            comment = ""
        else:
            items = sections[-1].items
            shared, comment = comment, ""
            follows = items and items[-1].kind == "function" and between.count("\n") < 2
            if token["function"] and not shared and follows:
                shared = items[-1].comment
            if token["function"]:
                prototype = one_line(token["function_text"])
                name = re.search(r"(\w+)\(", prototype)[1]
                items.append(Item("function", name, prototype, shared))
            elif token["struct"]:
                members = list(members_of(token["struct_body"]))
                items.append(Item("struct", token["struct_name"], token["struct"], shared, members))
            elif token["enum"]:
                members = list(members_of(token["enum_body"]))
                items.append(Item("enum", token["enum_name"], token["enum"], shared, members))
            else:
                if token["type_comment"]:
                    shared = plain(token["type_comment"])
                items.append(Item("type", token["type_name"], token["type"], shared))
    return head, [section for section in sections if section.items]


# ---- Comments as paragraphs

def begins_paragraph(before, line):
    """Whether a line of a comment begins anew though no empty line stands before it."""
    if re.match(r"(Errors|Cost|Types)\b", line):
        return True
    fits = len(before) + 1 + len(line.split(" ", 1)[0]) <= WIDTH
    return fits and before.endswith(".")


def blocks(comment):
    """("text", line), ("list", [(term, line)]) and ("code", [line]) of a comment."""
    if not comment:
        return
    for paragraph in re.split(r"\n\s*\n", comment.strip("\n")):
        lines = paragraph.split("\n")
        while lines:
            indented = lines[0].startswith("  ")
            others = (i for i, line in enumerate(lines) if line.startswith("  ") != indented)
            count = next(others, len(lines))
            taken, lines = lines[:count], lines[count:]
            if not indented:
                start = 0
                for i in range(1, len(taken) + 1):
                    if i == len(taken) or begins_paragraph(taken[i - 1], taken[i]):
                        text = one_line(" ".join(taken[start:i]))
                        for part in re.split(r"(?<=\.) (?=Errors: )", text):
                            yield "text", part
                        start = i
                continue
            taken = textwrap.dedent("\n".join(taken)).split("\n")
            if not re.match(r"\S+( \S+)*   ?\S|\S+( \S+)*  +\S", taken[0]):
                yield "code", taken
                continue
            entries = []
            for line in taken:
                split = re.match(r"(\S+(?: \S+)*?)  +(\S.*)", line)
                if split and not line.startswith(" "):
                    entries.append([split[1], split[2]])
                else:
                    entries[-1][1] += " " + line.strip()
            yield "list", entries


def first_sentence(comment):
    """What the NAME line says."""
    text = next(block for kind, block in blocks(comment) if kind == "text")
    ends = (match.start() for match in re.finditer(r"(?<!\.)\.(?= [A-Z*`]|$)|[:;] ", text))
    end = next((at for at in ends if text[:at].count("(") == text[:at].count(")")), len(text))
    sentence = text[:end].replace("`", "")
    return sentence[0].lower() + sentence[1:] if re.match(r"[A-Z][a-z]", sentence) else sentence


# ---- Manual pages

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = re.sub(r"`([^`]*)`", r"\\fI\1\\fR", text)
    return "\\&" + text if text.startswith((".", "\\(aq")) else text


def man_block(kind, block):
    if kind == "text":
        return [".PP", roff(block)]
    if kind == "list":
        return [line for term, text in block for line in (".TP", roff(term), roff(text))]
    return [".PP", ".nf", *(roff(line) for line in block), ".fi"]


def man_blocks(comment):
    return [line for kind, block in blocks(comment) for line in man_block(kind, block)]


def man_members(item):
    lines = []
    for declaration, comment in item.members:
        lines += [".TP", f".B {roff(declaration)}", roff(comment) if comment else "\\&"]
    return lines


def man_prototype(prototype):
    head, arguments = prototype.split("(", 1)
    # Lines end behind commas.
    kept = ", ".join(one.replace(" ", "\0") for one in arguments.split(", "))
    lines = textwrap.wrap(f"{head}({kept};", 72, subsequent_indent="    ", break_long_words=False)
    return [".PP", ".nf", *(roff(line.replace("\0", " ")) for line in lines), ".fi"]


def header_line(title, version, date):
    # Names are not hyphenated.
    return f'.TH {title} 3 {date} "gpcl {version}" "gpcl"\n.nh\n.ad l'


def comments_apart(items):
    """The comments of some functions, each with those that have it."""
    result = {}
    for item in items:
        result.setdefault(item.comment, []).append(item)
    return result


def items_of(headers):
    parts = [section for _, sections in headers.values() for section in sections]
    return [item for section in parts for item in section.items]


def pages_of(headers):
    """The functions of each page, under the name of the first, with header and section."""
    functions = {item.name for item in items_of(headers) if item.kind == "function"}
    pages, home = {}, {}
    for header, (_, sections) in headers.items():
        for section in sections:
            first_with = {}
            for item in section.items:
                if item.kind != "function":
                    continue
                name = item.name
                base = None
                if name.startswith("gp_enqueue_"):
                    rest = name.removeprefix("gp_enqueue_")
                    blocking = (f"gp_{rest}", f"gp_buffer_{rest}")
                    base = next((one for one in blocking if one in functions), None)
                home[name] = home[base] if base else first_with.setdefault(item.comment, name)
                pages.setdefault(home[name], (header, section, []))[2].append(item)
    return pages, home


def write_page(name, header, section, items, types, version, date):
    functions = [item.name for item in items]
    lines = [header_line(name, version, date), ".SH NAME",
             roff(", ".join(functions)) + " \\- " + roff(first_sentence(items[0].comment)),
             ".SH SYNOPSIS", ".nf", f"#include <gpcl/{header}>", ".fi"]
    for item in items:
        lines += man_prototype(item.text)
    lines += [".SH DESCRIPTION"]
    errors = []
    for number, (comment, those) in enumerate(comments_apart(items).items()):
        if number > 0:
            lines.append(f".SS {roff(', '.join(item.name for item in those))}")
        if not comment:
            sys.exit(f"{header}: {those[0].name} has no comment")
        for kind, block in blocks(comment):
            if number == 0 and kind == "text" and block.startswith("Errors:"):
                errors.append(block.removeprefix("Errors: "))
            else:
                lines += man_block(kind, block)
    known = used_types(items, types)
    if known:
        lines.append(".SH TYPES")
    for one in known:
        lines.append(f".SS {roff(one.kind + ' ' + one.name)}")
        lines += man_blocks(one.comment) + man_members(one)
    if any(item.text.startswith("gp_status ") for item in items):
        lines += [".SH RETURN VALUE", "GP_SUCCESS, which is 0, or the status of what went wrong.",
                  "gp_error_message(3) then says what."]
    if errors:
        lines += [".SH ERRORS"]
        for error in errors:
            lines += [".PP", roff(error)]
    if section.notes:
        lines.append(".SH NOTES")
        for note in section.notes:
            lines += man_blocks(note)
    return lines


def used_types(items, types):
    """The structures and enumerations that some functions take, and those that these take."""
    found, queue = [], [item.text for item in items]
    while queue:
        for word in re.findall(r"\bgp_\w+", queue.pop(0)):
            for one in (types.get(word), types.get(word + "_code")):
                if one and one not in found and word not in EVERYWHERE:
                    found.append(one)
                    queue += [declaration for declaration, _ in one.members]
    return found


def see_also(names, home, own):
    shown = sorted({home[name] for name in names} - {own})
    return [".SH SEE ALSO", ",\n".join(f".BR {name} (3)" for name in ["gpcl", *shown])]


def write_man(folder):
    headers = {path.name: parse(path) for path in HEADERS}
    pages, home = pages_of(headers)
    every = items_of(headers)
    types = {item.name: item for item in every if item.kind in ("struct", "enum")}
    version = version_of(HEADERS[0].read_text())
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
    date = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).date()
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, lines):
        (folder / f"{name}.3").write_text("\n".join(lines) + "\n")

    for name, (header, section, items) in pages.items():
        lines = write_page(name, header, section, items, types, version, date)
        beside = [item.name for item in section.items if item.kind == "function"]
        write(name, lines + see_also(beside, home, name))
        for item in items:
            if item.name != name:
                write(item.name, [f".so man3/{name}.3"])

    # The overview.
    lines = [header_line("gpcl", version, date), ".SH NAME",
             "gpcl \\- parallel primitives over OpenCL behind a plain C interface",
             ".SH SYNOPSIS", ".nf", "#include <gpcl/gpcl.h>", ".PP",
             roff("cc program.c $(pkg-config --cflags --libs gpcl)"), ".fi", ".SH DESCRIPTION"]
    head = headers["gpcl.h"][0].split("\n", 3)[3]  # without the title and the licence
    lines += man_blocks(head)
    for title, name in (("STATUS", "gp_status_code"), ("ELEMENT TYPES", "gp_dtype_code")):
        lines += [f".SH {title}", *man_members(types[name])]
    lines.append(".SH HANDLES")
    for item in every:
        if item.kind == "type" and item.comment:
            lines += [".TP", f".B {roff(item.name)}", roff(one_line(item.comment))]
    lines.append(".SH FUNCTIONS")
    for header, (_, sections) in headers.items():
        for section in sections:
            names = [item.name for item in section.items if item.kind == "function"]
            if names:
                lines += [".TP", roff(section.title or f"<gpcl/{header}>"),
                          roff(", ".join(f"{name}(3)" for name in names))]
    write("gpcl", lines + [".SH SEE ALSO", ".BR gpcl (1)"])


def version_of(text):
    return ".".join(re.findall(r"#define GP_VERSION_[A-Z]+ (\d+)", text))


# ---- Doxygen

def doxygen_text(text):
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\@&<>#%*~|])", r"\\\1", parts[i]).replace("--", "\\--")
    return "".join(parts)


def doxygen_comment(comment, head="", tail=""):
    lines = [head] if head else []
    for kind, block in blocks(comment):
        if kind == "text":
            lines += [doxygen_text(block), ""]
        elif kind == "list":
            lines += ["<dl>"]
            lines += [f"<dt>{doxygen_text(term)}</dt><dd>{doxygen_text(text)}</dd>"
                      for term, text in block]
            lines += ["</dl>", ""]
        else:
            lines += ["@verbatim", *block, "@endverbatim", ""]
    return "/** " + "\n".join(lines + [tail]) + " */"


def write_filtered_page(path):
    # Doxygen finds pictures by their names alone.
    print(re.sub(r"(!\[[^\]]*\]\()[^)]*/", r"\1", path.read_text()), end="")


def write_filtered_header(path):
    head, sections = parse(path)
    if path.name == "gpcl.h":
        head = head.split("\n", 3)[3]  # as in gpcl(3)
    out = [doxygen_comment(head, f"@file {path.name}\n")]
    for section in sections:
        title = section.title or "Programs that use OpenCL themselves"
        label = re.sub(r"\W+", "_", title.lower())
        out.append(doxygen_comment("\n\n".join(section.notes), f"@defgroup {label} {title}\n"))
        out.append("/** @{ */")
        for item in section.items:
            if item.comment:
                out.append(doxygen_comment(item.comment))
            if item.kind in ("function", "type"):
                text = item.text if item.kind == "function" else item.text.split(";")[0]
                out.append(text + ";")
                continue
            is_struct = item.kind == "struct"
            end = ";" if is_struct else ","
            out.append(f"{'typedef struct' if is_struct else 'enum'} {item.name} {{")
            for declaration, comment in item.members:
                behind = f" /**< {doxygen_text(comment)} */" if comment else ""
                out.append(f"    {declaration}{end}{behind}")
            out.append(f"}} {item.name};" if is_struct else "};")
        out.append("/** @} */")
    print("\n".join(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("man").add_argument("folder", type=Path)
    commands.add_parser("functions")
    commands.add_parser("filter").add_argument("file", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "man":
        write_man(arguments.folder)
    elif arguments.command == "filter":
        (write_filtered_header if arguments.file.suffix == ".h" else write_filtered_page)(arguments.file)
    else:
        headers = {path.name: parse(path) for path in HEADERS}
        print(*(item.name for item in items_of(headers) if item.kind == "function"), sep="\n")


if __name__ == "__main__":
    main()
