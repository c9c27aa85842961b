"""Links to a person's own page, made by a bot and at the command line."""

from __future__ import annotations

import httpx
import pytest


def asked(site, token, **turn):
    headers = {"authorization": f"Bearer {token}"}
    return httpx.post(f"{site.url}/v1/me/link", json={"turn": turn}, headers=headers)


@pytest.fixture
def token(site):
    return site.token(role="service", reads=False)


def test_a_bot_makes_a_link_in_the_persons_direct_chat(site, token):
    site.fact("location", "Київ")
    made = asked(site, token, platform="telegram", chat="123", user="123", direct=True)
    assert made.status_code == 200
    url = made.json()["url"]
    assert url.startswith(f"{site.url}/me/")
    with httpx.Client() as person:
        assert person.get(url).status_code == 200
        assert person.post(url, data={"open": "page"}).status_code == 303
        assert "Київ" in person.get(f"{site.url}/me").text


def test_where_others_read_it_no_link_is_made(site, token):
    refused = asked(site, token, platform="telegram", chat="Hiking club", user="123")
    assert refused.status_code == 403
    assert "direct" in refused.json()["detail"]


def test_a_bot_makes_no_link_for_another_platforms_people(site, token):
    assert asked(site, token, platform="discord", chat="123", user="123", direct=True).status_code == 403
