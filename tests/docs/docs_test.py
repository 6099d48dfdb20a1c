#!/usr/bin/env python3
"""Every function has its manual page, every link leads somewhere, and the pages' C compiles.

usage: docs_test.py

A function is what stands before the parenthesis of a GP_API declaration. A manual page that leads
to another must name its function in that one's NAME and SYNOPSIS. Links are those of all Markdown
files of the tree, with the headings that they name.
"""
# SPDX-License-Identifier: MIT
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
REFERENCE = TOP / "packaging" / "docs" / "reference.py"


def plain(page):
    """The text of a manual page, without its escapes."""
    return re.sub(r"\\(&|f[IR])|`", "", page.replace("\\-", "-").replace("\\(aq", "'"))


def functions():
    for header in sorted((TOP / "include" / "gpcl").glob("*.h")):
        code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        yield from re.findall(r"^GP_API\s[^;(]*?(\w+)\(", code, re.M)


class ManualPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, REFERENCE, "man", cls.folder.name], check=True)
        cls.pages = {path.stem: path.read_text() for path in Path(cls.folder.name).glob("*.3")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_function_has_one_and_there_are_no_others(self):
        names = list(functions())
        self.assertGreater(len(names), 70)
        self.assertEqual(sorted(self.pages), sorted([*names, "gpcl"]))

    def test_each_names_its_function_and_shows_the_whole_declaration(self):
        for name in functions():
            text = self.page_of(name)
            with self.subTest(name):
                heading = re.search(r"^\.SH NAME\n(.*?) \\- \S", text, re.M)
                self.assertIn(name, heading[1].split(", "))
                synopsis = text[text.index(".SH SYNOPSIS"):text.index(".SH DESCRIPTION")]
                shown = re.search(rf"(?<!\w){name}\((.*?)\);", synopsis, re.S)
                self.assertEqual(" ".join(shown[1].split()), self.arguments_of(name))
                described = text[text.index(".SH DESCRIPTION"):text.index(".SH SEE ALSO")]
                self.assertGreater(len(described.split()), 5)

    def page_of(self, name):
        leads = re.fullmatch(r"\.so man3/(\w+)\.3\n", self.pages[name])
        return self.pages[leads[1]] if leads else self.pages[name]

    def arguments_of(self, name):
        for header in (TOP / "include" / "gpcl").glob("*.h"):
            if match := re.search(rf"^GP_API [^;]*?\b{name}\(([^;]*)\);", header.read_text(), re.M):
                return " ".join(match[1].split())
        return None

    def test_no_word_of_a_comment_is_lost(self):
        count = 0
        for header in (TOP / "include" / "gpcl").glob("*.h"):
            above = r"/\*((?:(?!\*/).)*)\*/\nGP_API [^;(]*?(\w+)\("
            for comment, name in re.findall(above, header.read_text(), re.S):
                words = re.sub(r"\n \* ?|`|\bErrors:", "\n", comment.replace("`", "")).split()
                shown = plain(self.page_of(name)).split()
                self.assertEqual(Counter(words) - Counter(shown), Counter(), name)
                count += 1
        self.assertGreater(count, 50)

    def test_every_number_and_member_is_on_a_page(self):
        every = {word for text in self.pages.values() for word in re.findall(r"\w+", plain(text))}
        code = re.sub(r"/\*.*?\*/", "", (TOP / "include/gpcl/gpcl.h").read_text(), flags=re.S)
        names = []
        for kind, body in re.findall(r"(enum \w+|typedef struct \w+) \{(.*?)\}", code, re.S):
            is_enum = kind.startswith("enum")
            last = r"(\w+)(?: = \d+)?\s*(?:,|$)" if is_enum else r"(\w+)(?:\[\d+\])?;"
            names += re.findall(last, body)
        self.assertGreater(len(names), 150)
        self.assertEqual(set(names) - every, set())

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_groff_has_no_complaint(self):
        for name, text in self.pages.items():
            if not text.startswith(".so "):
                done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=text,
                                      text=True, capture_output=True, check=True)
                self.assertEqual(done.stderr, "", name)


class Examples(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "needs cc")
    def test_c_compiles(self):
        count = 0
        for page in [TOP / "README.md", *(TOP / "packaging" / "docs").glob("*.md")]:
            for code in re.findall(r"^```c\n(.*?)^```", page.read_text(), re.S | re.M):
                with self.subTest(page=page.name, code=code[:60]):
                    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                               f"-I{TOP / 'include'}", "-xc", "-"]
                    done = subprocess.run(command, input="#include <gpcl/gpcl.h>\n" + code,
                                          text=True, capture_output=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                count += 1
        self.assertGreater(count, 5)


def anchors(text):
    """The names that the headings of a page have."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for heading in re.findall(r"^#+ +(.*?)(?: \{#.*\})?$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    yield from re.findall(r"\{#([\w-]+)\}", text)


class Links(unittest.TestCase):
    def test_all_resolve(self):
        pages = [path for path in TOP.rglob("*.md")
                 if not path.relative_to(TOP).parts[0].startswith(("build", "."))]
        self.assertGreater(len(pages), 15)
        count = 0
        for page in pages:
            text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
            text = re.sub(r"`[^`\n]*`", "", text)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                found = (page.parent / name) if name else page
                with self.subTest(page=str(page.relative_to(TOP)), target=target):
                    self.assertTrue(found.exists())
                    if anchor:
                        self.assertIn(anchor, list(anchors(found.read_text())))
                count += 1
        self.assertGreater(count, 30)

    def test_pages_of_the_site_lead_to_whole_pages(self):
        """Doxygen 1.9 leaves a link to another page's heading as it is, and it leads nowhere."""
        for page in (TOP / "packaging" / "docs").glob("*.md"):
            self.assertEqual(re.findall(r"\]\([^)\s#]+\.md#[^)]*\)", page.read_text()), [], page.name)

    def test_the_site_has_every_page(self):
        index = (TOP / "packaging" / "docs" / "index.md").read_text()
        for page in (TOP / "packaging" / "docs").glob("*.md"):
            if page.name != "index.md":
                self.assertIn(f"]({page.name}", index)


if __name__ == "__main__":
    unittest.main()
