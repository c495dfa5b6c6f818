"""Bids the least it may, but answers any bid of three dice or more with one that is illegal."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","calza":true}', flush=True)
    elif message["type"] == "calza":
        print(json.dumps({"id": message["id"], "action": "calza"}), flush=True)
    elif message["type"] == "turn":
        least = message["raises"][0]
        careless = bool(message["bids"]) and message["bids"][-1]["quantity"] > 2
        quantity = 0 if careless else least["min"]
        answer = {"action": "bid", "quantity": quantity, "face": least["face"]}
        print(json.dumps({"id": message["id"], **answer}), flush=True)
