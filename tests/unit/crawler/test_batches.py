"""Calls that are joined: nobody waits for nothing, and one that cannot be answered harms no other."""

import asyncio

import pytest

from crawler.batches import Batches
from system.errors import ServiceDown


def ask_all(call, questions):
    async def gather():
        batches = Batches(call)
        return await asyncio.gather(*map(batches.ask, questions), return_exceptions=True)

    return asyncio.run(gather())


def test_questions_during_a_call_go_out_together():
    calls = []

    async def call(batch):
        calls.append(list(batch))
        await asyncio.sleep(0)
        return [question * 10 for question in batch]

    async def gather():
        batches = Batches(call)
        first = asyncio.ensure_future(batches.ask(1))
        await asyncio.sleep(0)  # the first call goes out at once
        assert await asyncio.gather(batches.ask(2), batches.ask(3), batches.ask(4)) == [20, 30, 40]
        assert await first == 10
        assert await batches.ask(5) == 50

    asyncio.run(gather())
    assert calls == [[1], [2, 3, 4], [5]]


def test_batch_has_a_bound():
    sizes = []

    async def call(batch):
        sizes.append(len(batch))
        return batch

    assert ask_all(call, range(200)) == list(range(200))
    assert max(sizes) <= 64
    assert sum(sizes) == 200


def test_question_that_nothing_can_answer_fails_alone():
    async def call(batch):
        if 3 in batch:
            raise ValueError("three")
        return batch

    answers = ask_all(call, range(6))
    assert isinstance(answers[3], ValueError)
    assert [answer for answer in answers if not isinstance(answer, ValueError)] == [0, 1, 2, 4, 5]


def test_service_error_reaches_all_and_is_requested_once():
    calls = []

    async def call(batch):
        calls.append(batch)
        raise ServiceDown(service="MongoDB", url="mongodb://x", problem="refused")

    answers = ask_all(call, range(3))
    assert all(isinstance(answer, ServiceDown) for answer in answers)
    assert len(calls) == 1


@pytest.mark.parametrize("count", [1, 3])
def test_cancelled_question_does_not_delay_the_remaining_questions(count):
    async def gather():
        gate = asyncio.Event()

        async def call(batch):
            await gate.wait()
            return batch

        batches = Batches(call)
        requested = [asyncio.ensure_future(batches.ask(number)) for number in range(count + 1)]
        await asyncio.sleep(0)
        requested[0].cancel()
        gate.set()
        return await asyncio.gather(*requested[1:])

    assert asyncio.run(gather()) == list(range(1, count + 1))


def test_batch_waits_only_for_questions_under_way():
    calls = []

    async def call(batch):
        calls.append(list(batch))
        return batch

    async def gather(under_way, pause_s):
        batches = Batches(call, under_way=lambda: under_way)

        async def ask(question):
            await asyncio.sleep(question * pause_s)
            return await batches.ask(question)

        await asyncio.gather(*map(ask, range(3)))

    asyncio.run(gather(3, 0.001))
    assert calls == [[0, 1, 2]]
    calls.clear()
    asyncio.run(gather(1, 0.02))
    assert calls == [[0], [1], [2]]


def test_batch_waits_a_tenth_of_a_second_at_most():
    async def call(batch):
        return batch

    async def ask():
        began = asyncio.get_running_loop().time()
        await Batches(call, under_way=lambda: 99).ask(1)
        return asyncio.get_running_loop().time() - began

    assert 0.1 <= asyncio.run(ask()) < 5
