"""Processes that hand over their samples: none is lost, none counts twice, no file stays."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import evaluate
import numpy as np
import pytest

import at_k
from at_k.exchange import Exchange


def exchange(folder, timeout=30):
    return Exchange(str(folder), "test", 3, timeout)


def give(folder, process, value):
    exchange(folder).hand_over(process, {"value": np.array([value])})


def test_all_are_gathered_and_no_file_stays(tmp_path):
    with ThreadPoolExecutor(3) as pool:
        given = [pool.submit(give, tmp_path, process, 10 * process) for process in (2, 1)]
        gathered = list(pool.submit(exchange(tmp_path).gather).result())
        assert [file.result() for file in given] == [None, None]
    assert [int(arrays["value"][0]) for arrays in gathered] == [10, 20]
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_a_dead_process_left_is_not_taken(tmp_path):
    np.savez(tmp_path / "test-3-1.npz", value=np.array([666]))
    with ThreadPoolExecutor(3) as pool:
        gathering = pool.submit(exchange(tmp_path).gather)
        late = threading.Timer(0.5, give, (tmp_path, 1, 10))
        late.start()
        pool.submit(give, tmp_path, 2, 20)
        assert [int(arrays["value"][0]) for arrays in gathering.result()] == [10, 20]
        late.join()
    assert list(tmp_path.iterdir()) == []


def test_process_0_waits_no_longer_than_the_timeout(tmp_path):
    with pytest.raises(ValueError, match=r"have not come to `compute` within 0\.2 s of process 0: 1, 2;"):
        exchange(tmp_path, timeout=0.2).gather()


def test_the_others_wait_no_longer_than_the_timeout(tmp_path):
    with pytest.raises(ValueError, match=r"process 0 has not come to `compute` within 0\.2 s of process 1"):
        exchange(tmp_path, timeout=0.2).hand_over(1, {})
    assert list(tmp_path.iterdir()) == []


def test_two_evaluations_of_one_name_are_told_apart(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(exchange(tmp_path, timeout=3).hand_over, 1, {})
        while not list(tmp_path.glob("*.npz")):
            pass
        with pytest.raises(ValueError, match=r"another evaluation is using .*`experiment_id`"):
            exchange(tmp_path).hand_over(1, {})
        with pytest.raises(ValueError, match="process 0 has not come"):
            first.result()
    assert list(tmp_path.iterdir()) == []


def load(process, folder):
    path = str(at_k.module_path("avg_at_n"))
    return evaluate.load(
        path, "graded", num_process=2, process_id=process, cache_dir=str(folder), experiment_id="rounds", timeout=60
    )


def in_two_processes(target, folder):
    """What `target` answers in process 0 and in process 1."""
    processes = multiprocessing.get_context("spawn")
    ends = [processes.Pipe() for _ in range(2)]
    workers = [processes.Process(target=target, args=(i, str(folder), ends[i][1])) for i in range(2)]
    for worker in workers:
        worker.start()
    answers = [end.recv() if end.poll(60) else "no answer" for end, _ in ends]
    for worker in workers:
        worker.join(60)
    assert not [path for path in folder.rglob("*") if path.is_file()]
    return answers


def several_rounds(process, folder, connection):
    metric = load(process, folder)
    results = []
    for grade in (0.1, 0.2, 0.3, 0.4):
        metric.add_batch(predictions=[[grade + process]] if grade + process <= 1 else [[0]])
        results.append(metric.compute())
    connection.send(results)


def test_rounds_need_no_barrier(tmp_path):
    first, second = in_two_processes(several_rounds, tmp_path)
    assert [result["accuracy"] for result in first] == [0.05, 0.1, 0.15, 0.2]
    assert second == [None] * 4


def without_samples(process, folder, connection):
    metric = load(process, folder)
    results = [metric.compute(predictions=[[1], [0]]) if process == 0 else metric.compute()]
    results.append(metric.compute() if process == 0 else metric.compute(predictions=[[1]]))
    connection.send(results)


def test_a_process_may_have_no_samples(tmp_path):
    first, _ = in_two_processes(without_samples, tmp_path)
    assert [result["accuracy"] for result in first] == [0.5, 1]


def failing_round(process, folder, connection):
    metric = load(process, folder)
    if process == 0:
        with pytest.raises(ValueError, match="`threshold` must lie in"):
            metric.compute(predictions=[[1]], threshold=2)
        with pytest.raises(ValueError, match="`predictions` must not be given now"):
            metric.compute(predictions=[[1]])
        with pytest.raises(ValueError, match="`predictions` must not be given now"):
            metric.add(prediction=[1])
        connection.send(metric.compute()["accuracy"])
    else:
        connection.send(metric.compute(predictions=[[0]]))


def test_what_is_held_after_a_failure_counts_once(tmp_path):
    assert in_two_processes(failing_round, tmp_path) == [0.5, None]
