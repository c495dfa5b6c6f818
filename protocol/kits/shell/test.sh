#!/bin/sh
# Your bot's tests: sh test.sh

testing=1
. ./bot.sh

bid() { move="$1 $2"; }
dudo() { move=dudo; }

# Whether the rules allow a move.
legal() {
  if [ "$1" = dudo ]; then [ -n "$last_face" ]; return; fi
  for raise in $raises; do # FACE:MIN:MAX
    range=${raise#*:}
    if [ "$2" = "${raise%%:*}" ] && [ "$1" -ge "${range%:*}" ] && [ "$1" -le "${range#*:}" ]; then
      return 0
    fi
  done
  return 1
}

fail() {
  echo "failed: $1: '$move' in $line"
  failed=1
}

tried=0 failed=0
while IFS= read -r line; do
  take "$line" >/dev/null
  [ "$type" = turn ] || continue
  choose
  legal $move || fail "an illegal move"
  set -- $dice
  if [ -n "$last_face" ] && [ "$last_quantity" -gt $((hidden + $#)) ] && [ "$move" != dudo ]; then
    fail "a bid of more dice than there are was not doubted"
  fi
  tried=$((tried + 1))
done <positions.jsonl
echo "$tried turns, failed: $failed"
exit $failed
