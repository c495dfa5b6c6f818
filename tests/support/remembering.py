"""A bot that remembers all dice that it was shown, and says when it is dealt the same again."""

KNOWN = "these dice were played before"
"""What it writes to standard error at a table whose dice it knows."""

REMEMBERING = f"""
    import json, sys
    shown, matches = {{}}, set()
    for line in sys.stdin:
        asked = json.loads(line)
        key = asked.get("game"), asked.get("round")
        if asked["type"] == "hello":
            earlier, matches = dict(shown), set()
            print(json.dumps({{"type": "ready", "reusable": True}}), flush=True)
        if asked["type"] == "round_end":
            shown[key] = asked["dice"]
        if asked["type"] == "turn":
            hands = earlier.get(key, [])
            if asked["round"] == 0 and asked["dice"] in hands[asked["seat"]:][:1]:
                matches.add(asked["game"])
                if len(matches) == 2:
                    print({KNOWN!r}, file=sys.stderr, flush=True)
            answer = {{"id": asked["id"], "action": "dudo"}}
            if asked["raises"]:
                first = asked["raises"][0]
                answer |= {{"action": "bid", "quantity": first["min"], "face": first["face"]}}
            print(json.dumps(answer), flush=True)
"""
"""Two hands that match count: one may do so by chance."""
