"""The way into the console, as `pindna serve` and `pindna up` print it."""

from deploy.cli.services.serve import print_way_in, printed_link

LINK = "http://127.0.0.1:8686/first?secret=x-Y_7"


def test_first_link_is_the_last_line_and_is_read_from_a_log(capsys, tmp_path):
    log = tmp_path / "console.log"
    log.write_text(f"{LINK}-older\n{'x' * 70_000}\n", encoding="utf-8")
    assert printed_link(log) == ""
    print_way_in("http://127.0.0.1:8686", LINK)
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1].strip() == LINK
    log.write_text(f"{LINK}-older\n{printed}", encoding="utf-8")
    assert printed_link(log) == LINK


def test_console_with_an_administrator_shows_its_address_alone(capsys):
    print_way_in("http://127.0.0.1:8686", "")
    assert capsys.readouterr().out == "The console: http://127.0.0.1:8686\n"
