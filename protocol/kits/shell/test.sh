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

legality="every move is legal"
doubt="a bid of more dice than there are is doubted"
illegal=0 missed=0 # 1 if they were not

fail() { echo "failed: $1: '$move' in $line"; }

number=0
while IFS= read -r line; do
  number=$((number + 1))
  case $line in
    '{'*'"type"'*'}') ;;
    *) echo "positions.jsonl, line $number is damaged" >&2; exit 1 ;;
  esac
  take "$line" >/dev/null
  [ "$type" = turn ] || continue
  move=none
  choose
  legal $move || { fail "$legality"; illegal=1; }
  set -- $dice
  if [ -n "$last_face" ] && [ "$last_quantity" -gt $((hidden + $#)) ] && [ "$move" != dudo ]; then
    fail "$doubt"
    missed=1
  fi
done <positions.jsonl
[ $illegal = 1 ] || echo "passed: $legality"
[ $missed = 1 ] || echo "passed: $doubt"
exit $((illegal | missed))
