"""What a form on a rights holder changes."""

from analysis.notices.holders import changed_texts
from storage.records import Holder


def test_form_changes_only_edited_fields():
    """Two users with the form open at once keep each other's changes."""
    holder = Holder(name="青灯文化", address="北京", phone="010")
    shown = {"address": "北京", "contact": None, "phone": "", "email": "a@b.example"}
    assert changed_texts(holder, shown) == {"phone": "", "email": "a@b.example"}
