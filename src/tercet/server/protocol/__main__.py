"""``python -m tercet.server.protocol`` prints the protocol's JSON Schema."""

import json

from tercet.server.protocol.schema import schema

print(json.dumps(schema(), indent=1, sort_keys=True))
