#!/usr/bin/env python3
"""Every function has its manual page, every link of a page leads somewhere, and the pages' C compiles.

usage: docs_test.py

A function is what stands before the parenthesis of a GP_API declaration. A page that leads to another must name its function
in that one's NAME and SYNOPSIS. Links are those of all Markdown files of the tree, with the headings that they name.
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
            text = self.pages[name]
            if text.startswith(".so "):
                text = self.pages[re.fullmatch(r"\.so man3/(\w+)\.3\n", text)[1]]
            with self.subTest(name):
                heading = re.search(r"^\.SH NAME\n(.*?) \\- \S", text, re.M)
                self.assertIn(name, heading[1].split(", "))
                synopsis = text[text.index(".SH SYNOPSIS"):text.index(".SH DESCRIPTION")]
                shown = re.search(rf"(?<!\w){name}\((.*?)\);", synopsis, re.S)
                self.assertEqual(" ".join(shown[1].split()), self.arguments_of(name))
                self.assertGreater(len(text[text.index(".SH DESCRIPTION"):text.index(".SH SEE ALSO")].split()), 5)

    def arguments_of(self, name):
        for header in (TOP / "include" / "gpcl").glob("*.h"):
            if match := re.search(rf"^GP_API [^;]*?\b{name}\(([^;]*)\);", header.read_text(), re.M):
                return " ".join(match[1].split())
        return None

    def test_no_word_of_a_comment_is_lost(self):
        count = 0
        for header in (TOP / "include" / "gpcl").glob("*.h"):
            for comment, name in re.findall(r"/\*((?:(?!\*/).)*)\*/\nGP_API [^;(]*?(\w+)\(", header.read_text(), re.S):
                page = self.pages[name]
                if page.startswith(".so "):
                    page = self.pages[re.fullmatch(r"\.so man3/(\w+)\.3\n", page)[1]]
                page = re.sub(r"\\f[IR]|`", "", page.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", ""))
                words = re.sub(r"\n \* ?", "\n", comment).replace("`", "").replace("Errors:", "").split()
                self.assertEqual(Counter(words) - Counter(page.split()), Counter(), name)
                count += 1
        self.assertGreater(count, 50)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_groff_has_no_complaint(self):
        for name, text in self.pages.items():
            if not text.startswith(".so "):
                done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=text, text=True,
                                      capture_output=True, check=True)
                self.assertEqual(done.stderr, "", name)


class Examples(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "needs cc")
    def test_c_compiles(self):
        count = 0
        for page in [TOP / "README.md", *(TOP / "packaging" / "docs").glob("*.md")]:
            for code in re.findall(r"^```c\n(.*?)^```", page.read_text(), re.S | re.M):
                with self.subTest(page=page.name, code=code[:60]):
                    done = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-xc", "-",
                                           f"-I{TOP / 'include'}"], input="#include <gpcl/gpcl.h>\n" + code, text=True,
                                          capture_output=True)
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
        pages = [path for path in TOP.rglob("*.md") if path.relative_to(TOP).parts[0] not in ("build", ".git")
                 and not path.relative_to(TOP).parts[0].startswith("build")]
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

    def test_the_site_has_every_page(self):
        index = (TOP / "packaging" / "docs" / "index.md").read_text()
        for page in (TOP / "packaging" / "docs").glob("*.md"):
            if page.name != "index.md":
                self.assertIn(f"]({page.name}", index)


if __name__ == "__main__":
    unittest.main()
