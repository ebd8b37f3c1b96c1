"""A resources server of NeMo Gym: the endpoint that aggregates the rewards of all rollouts, asked as Gym asks it."""

from importlib.metadata import version

from arithmetic import REPLIES, TARGETS, compare
from fastapi.testclient import TestClient
from nemo_gym.base_resources_server import BaseResourcesServerConfig, SimpleResourcesServer
from nemo_gym.global_config import ROLLOUT_INDEX_KEY_NAME, TASK_INDEX_KEY_NAME
from nemo_gym.server_utils import ServerClient

from at_k.integrations.nemo_gym import AtKMetrics


class Server(AtKMetrics, SimpleResourcesServer):
    """Compare answers."""

    def find_answer(self, rollout):
        """Return the answer that was judged."""
        return rollout["extracted_answer"]

    async def verify(self, body):
        """Compare the reply."""


server = Server(
    config=BaseResourcesServerConfig(host="127.0.0.1", port=0, name="server", entrypoint=""),
    server_client=ServerClient.model_construct(),
)
rollouts = [
    {
        TASK_INDEX_KEY_NAME: task,
        ROLLOUT_INDEX_KEY_NAME: rollout,
        "reward": float(text == TARGETS[name]),
        "extracted_answer": text or None,
    }
    for task, (name, texts) in enumerate(REPLIES.items())
    for rollout, text in enumerate(texts)
]
with TestClient(server.setup_webserver()) as client:
    asked = client.post("/aggregate_metrics", json={"verify_responses": rollouts})
numbers = asked.json()["agent_metrics"]
compare(numbers.__getitem__, ("pass@1", "pass@2", "pass@4", "cons@4", "avg@4"))
print(f"NeMo Gym {version('nemo-gym')}: {numbers}")
