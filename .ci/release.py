"""Build what a release uploads: ``make release KEY=ssh:PATH`` or ``KEY=gpg:ID``.

1. Build sdist and wheel twice, from copies of this checkout in folders of different names, time zones and
   languages, and compare them byte for byte. All times in them are that of the last commit.
2. Write the bill of materials, the lock and ``SHA256SUMS``, and sign the sums with the key.
3. Print what to upload.

Without a key nothing is signed, and files that are not committed are built too: ``make wheel`` does that.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMS = "SHA256SUMS"
_BACKEND = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"
# Where the two builds differ: a build that depends on one of these is not reproducible.
_PLACES = (("a", "UTC", "C.UTF-8"), ("another-folder", "Asia/Shanghai", "C"))
_SIGNATURES = {
    "ssh": (("ssh-keygen", "-Y", "sign", "-n", "pindna", "-f"), ".sig"),
    "gpg": (("gpg", "--batch", "--yes", "--armor", "--detach-sign", "--local-user"), ".asc"),
}


def main() -> None:
    """Build a release into the folder of the first argument, signed with the key of the second one."""
    target, key = Path(sys.argv[1]).resolve(), (sys.argv[2:] or [""])[0]
    if key:
        require_releasable()
    shutil.rmtree(target, ignore_errors=True)
    builds = [build(target / name, zone, language) for name, zone, language in _PLACES]
    require_equal(*builds)
    for path in builds[0]:
        shutil.copy2(path, target)
    for name, *_ in _PLACES:
        shutil.rmtree(target / name)
    add_papers(target)
    write_sums(target)
    signature = sign(target / SUMS, key) if key else None
    print(f"Two builds are equal. {'Upload' if signature else 'Not signed'}:")
    for path in sorted(target.iterdir()):
        use = "package index" if path.name.endswith((".whl", ".tar.gz")) else "release page"
        print(f"  {path}  ({use})")


def require_releasable() -> None:
    """End the program if files are not committed, or if the changelog does not begin with the version."""
    if changed := git("status", "--porcelain"):
        sys.exit(f"Files are not committed. Commit or remove them:\n{changed}")
    newest = re.search(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if newest is None or newest[1] != version():
        sys.exit(f"CHANGELOG.md does not begin with version {version()}. Give its newest entry that version.")


def build(folder: Path, zone: str, language: str) -> list[Path]:
    """Build an sdist, and from it a wheel; return both files."""
    source, made = folder / "source", folder / "made"
    made.mkdir(parents=True)
    copy_checkout(source)
    environment = {
        **{name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ},
        "LC_ALL": language,
        "PYTHONHASHSEED": "random",
        "PYTHONUTF8": "1",
        "SOURCE_DATE_EPOCH": str(epoch()),
        "TZ": zone,
    }

    def run(step: str, place: Path) -> None:
        command = (sys.executable, "-c", _BACKEND, step, str(made))
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, check=False, umask=0o022
        )
        if done.returncode:
            sys.exit(f"Cannot build: {done.stderr.decode(errors='replace')[-2000:]}")

    run("build_sdist", source)
    (sdist,) = made.glob("*.tar.gz")
    sdist.write_bytes(normalised(sdist.read_bytes(), epoch()))
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    run("build_wheel", folder / sdist.name.removesuffix(".tar.gz"))
    return sorted(made.iterdir())


def copy_checkout(target: Path) -> None:
    """Copy the files of this checkout that git does not ignore."""
    for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
            (target / name).chmod(0o755 if os.access(ROOT / name, os.X_OK) else 0o644)


def normalised(packed: bytes, seconds: int) -> bytes:
    """Return an archive (tar.gz) whose members are sorted, without owners, and have one time."""
    plain, compressed = BytesIO(), BytesIO()
    with (
        tarfile.open(fileobj=BytesIO(packed)) as source,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in sorted(source.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.mode, member.pax_headers = 0o755 if member.isdir() or member.mode & 0o100 else 0o644, {}
            target.addfile(member, source.extractfile(member))
    with gzip.GzipFile(filename="", mode="wb", fileobj=compressed, mtime=seconds) as stream:
        stream.write(plain.getvalue())
    return compressed.getvalue()


def require_equal(first: Iterable[Path], second: Iterable[Path]) -> None:
    """End the program with the names of the files that differ between two builds."""
    contents = [{path.name: path.read_bytes() for path in paths} for paths in (first, second)]
    names = contents[0].keys() | contents[1].keys()
    if differing := sorted(name for name in names if contents[0].get(name) != contents[1].get(name)):
        sys.exit(f"Two builds differ: {', '.join(differing)}. The folders next to them are kept.")


def add_papers(target: Path) -> None:
    """Add the bill of materials, which the wheel contains, and the lock."""
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".cdx.json"))
        (target / f"pindna-{version()}.cdx.json").write_bytes(archive.read(name))
    shutil.copyfile(ROOT / "requirements.lock", target / "requirements.lock")


def write_sums(target: Path) -> None:
    """Write the SHA-256 of each file, as ``sha256sum --check`` reads them."""
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(target.iterdir())
    ]
    (target / SUMS).write_text("".join(sums), encoding="utf-8")


def sign(path: Path, key: str) -> Path:
    """Sign a file with a key: ``ssh:PATH`` or ``gpg:ID``. Return the signature."""
    kind, _, identity = key.partition(":")
    if kind not in _SIGNATURES or not identity:
        sys.exit(f"Unknown key {key}. Name ssh:PATH, the file of a private key, or gpg:ID.")
    command, suffix = _SIGNATURES[kind]
    if subprocess.run([*command, identity, str(path)], check=False).returncode:
        sys.exit(f"Cannot sign with {key}. The reason is above.")
    return path.with_name(path.name + suffix)


def version() -> str:
    """Return pindna's version."""
    text = (ROOT / "system" / "version.py").read_text(encoding="utf-8")
    return re.search(r'^VERSION = "(.+)"$', text, re.MULTILINE)[1]


def epoch() -> int:
    """Return the time of the last commit, in seconds since 1970."""
    return int(git("log", "-1", "--format=%ct"))


def git(*words: str) -> str:
    """Return what git prints of this checkout."""
    command = ("git", "-C", str(ROOT), *words)
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout.strip()


if __name__ == "__main__":
    main()
