"""The package as `pip install` gives it: everything inside, and the command works far from the checkout.

`make wheel` builds it and installs it, not editable and without extras, into an environment of its own.
"""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pindna import PACKAGES
from system.version import VERSION

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build/wheel"
PAGE = "<html><meta charset='utf-8'><title>渡口的七盏灯</title><body><div>{}</div></body></html>"
LINE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"


@pytest.fixture
def run(tmp_path):
    """Run a program of the new environment in an empty folder; its output is text."""

    def run_program(*words, language="C.UTF-8", status=0):
        done = subprocess.run(
            [BUILD / "venv/bin" / words[0], *words[1:]],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            encoding="utf-8",
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": language},
            timeout=120,
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done

    return run_program


@pytest.fixture
def samples(run):
    """The sample texts that the package brings."""
    script = "from deploy.demo.samples import SAMPLES; print(SAMPLES)"
    path = Path(run("python", "-c", script).stdout.strip())
    assert path.is_relative_to(BUILD / "venv")
    return path


def test_wheel_holds_every_file_of_the_packages_and_no_other():
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "pindna.py", *PACKAGES]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout
    sources = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    sources = {name for name in sources if not name.endswith(".po")}  # translators need it
    (wheel,) = BUILD.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == sources


def test_wheel_holds_licences_and_bill_of_materials():
    (wheel,) = BUILD.glob("*.whl")
    info = f"pindna-{VERSION}.dist-info"
    names = zipfile.ZipFile(wheel).namelist()
    wanted = ("licenses/LICENSE", "licenses/NOTICE", "licenses/LICENSES/MIT.txt", "sboms/pindna.cdx.json")
    assert [name for name in wanted if f"{info}/{name}" not in names] == []


def test_description_has_no_link_into_the_repository():
    (wheel,) = BUILD.glob("*.whl")
    metadata = zipfile.ZipFile(wheel).read(f"pindna-{VERSION}.dist-info/METADATA").decode()
    targets = re.findall(r"\]\(([^)]*)\)", metadata)
    assert "# pindna" in metadata
    assert targets
    assert all(target.startswith("https://") for target in targets)


@pytest.fixture
def second_environment(tmp_path):
    """Return a function that installs wheels into an environment that has the first's libraries."""
    subprocess.run([BUILD / "venv/bin/python", "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    libraries = next((BUILD / "venv/lib").glob("python*/site-packages"))
    folder = tmp_path / "venv/lib" / libraries.parent.name / "site-packages"
    (folder / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")

    def install(*wheels):
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        pip += ["--python", tmp_path / "venv", "install", "--no-deps", "--no-index", "--ignore-installed"]
        subprocess.run([*pip, *wheels], check=True, timeout=120)
        return tmp_path / "venv/bin"

    return install


def foreign_wheel(folder):
    """Build another distribution that has a package ``storage``."""
    path = folder / "warehouse-1.0-py3-none-any.whl"
    info = "warehouse-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("storage/__init__.py", "SHELVES = 7\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: warehouse\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"storage/__init__.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n")
    return path


@pytest.mark.parametrize("program", [("pindna", "--version"), ("celery", "-A", "tracker", "worker")])
def test_start_is_refused_where_another_distribution_overwrote_a_package(
    second_environment, tmp_path, program
):
    (wheel,) = BUILD.glob("*.whl")
    folder = second_environment(wheel)

    def start(*words):
        return subprocess.run(words, capture_output=True, check=False, cwd=tmp_path, encoding="utf-8")

    assert start(folder / "pindna", "--version").stdout == f"pindna {VERSION}\n"
    second_environment(foreign_wheel(tmp_path))
    run = start(folder / "python", "-P", "-m", *program)
    assert (run.returncode, run.stdout) == (2, "")
    (line,) = run.stderr.splitlines()
    assert "storage/__init__.py (warehouse) hides pindna's package storage" in line


def test_version_is_printed(run):
    assert run("pindna", "--version").stdout == f"pindna {VERSION}\n"


@pytest.mark.parametrize(
    ("language", "verdicts"),
    [("C.UTF-8", ("Copy", "Nothing found")), ("zh_CN.UTF-8", ("全文雷同", "未发现雷同"))],
)
def test_copy_is_matched_in_the_sample_novels(run, samples, tmp_path, language, verdicts):
    novel = (samples / "novels/青灯渡.txt").read_text(encoding="utf-8")
    chapter = novel.split("第二章")[1].split("第三章")[0]
    (tmp_path / "copy.txt").write_text(chapter, encoding="gb18030")
    (tmp_path / "other.txt").write_bytes((samples / "others/竹坞旧事.txt").read_bytes())
    check = ("pindna", "check", "--corpus", samples / "novels")
    first = run(*check, "copy.txt", "other.txt", language=language, status=1).stdout.splitlines()
    assert verdicts[0] in first[0]
    assert "青灯渡" in first[1]
    assert verdicts[1] in first[-1]
    run(*check, "other.txt", language=language, status=0)


@pytest.mark.parametrize("language", ["C.UTF-8", "zh_CN.UTF-8"])
def test_page_is_extracted(run, tmp_path, language):
    (tmp_path / "page.html").write_text(PAGE.format(f"<p>{LINE}</p>" * 6), encoding="utf-8")
    shown = run("pindna", "extract", "page.html", language=language).stdout
    assert "title: 渡口的七盏灯" in shown
    assert shown.count(LINE) == 6


def test_special_addresses_are_refused(run):
    assert "Private address" in run("pindna", "extract", "http://192.0.2.1/", status=2).stderr


def test_templates_of_reports_and_of_the_demo_are_installed(run):
    script = (
        "from analysis.reports import building, render_html\n"
        "from deploy.demo import rendering\n"
        "from jinja2 import PackageLoader\n"
        "print(len(PackageLoader('analysis.words').list_templates()))\n"
        "print(sum(len(rendering.render_site(site)) for site in rendering._SITES))\n"
    )
    templates, pages = run("python", "-c", script).stdout.split()
    assert int(templates) == sum(path.is_file() for path in (ROOT / "analysis/words/templates").rglob("*"))
    assert int(pages) > 40


def test_missing_servers_and_extra_are_named(run):
    assert "embedded" in run("pindna", "corpus", "list", status=3).stderr


@pytest.mark.parametrize(
    ("words", "module", "extra"),
    [
        (("compare", "a.txt", "b.txt"), "rjieba", "lab"),
        (("serve",), "argon2", "console"),
        (("up",), "psutil", "embedded"),
    ],
)
def test_command_without_its_extra_names_it_in_a_line(run, tmp_path, words, module, extra):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(LINE, encoding="utf-8")
    english = run("pindna", *words, status=2).stderr
    assert (
        english
        == f"This function needs {module}, which is not installed. Run pip install 'pindna[{extra}]'.\n"
    )
    chinese = run("pindna", *words, language="zh_CN.UTF-8", status=2).stderr
    assert chinese == f"此功能需要 {module}，但尚未安装。请运行 pip install 'pindna[{extra}]'。\n"
