# How little is needed: a POSIX shell, its own words and nothing else.
#
# It does not read JSON. It cuts each line into words at the punctuation and goes through them:
# names of fields, each followed by its values. That is enough for this protocol.
#
# It bids the lowest raise, on a face that it holds if it can, and doubts when the bid names more
# than a third of the dice (a sixth where pacos are not wild, or on pacos) and one. It takes the
# others to have as many dice each as itself.

set -f # words are not file names
punctuation=' {}[]:,"'

# Sets type, id, dice, alive, palifico, quantity and face (of the last bid) and raises.
cut() {
  name= list= type= id= dice= alive=0 palifico=null quantity=0 face=0 raises=
  IFS=$punctuation
  for word in $1; do
    case $word in
      '') ;;
      [0-9]* | null | true | false) value "$word" ;;
      *) if [ "$name" = type ]; then type=$word name=; else name=$word; fi
         case $word in bids | raises) list=$word ;; esac ;;
    esac
  done
  IFS=' '
}

# Takes a value of the field `name`.
value() {
  case $list.$name in
    *.id) id=$1 ;;
    *.dice) dice="$dice $1" ;;
    *.alive) alive=$((alive + 1)) ;;
    *.palifico_seat) palifico=$1 ;;
    bids.quantity) quantity=$1 ;;
    bids.face) face=$1 ;;
    raises.face) raise=$1 ;;
    raises.min) raises="$raises $raise:$1" ;;
  esac
}

# Answers a turn.
choose() {
  set -- $dice
  total=$(($# * alive)) sides=2
  if [ "$face" = 1 ] || [ "$palifico" != null ]; then sides=1; fi
  if [ -z "$raises" ] || [ $(((quantity - 1) * 6)) -gt $((total * sides)) ]; then
    echo "{\"id\":$id,\"action\":\"dudo\"}"
    return
  fi
  for raise in $raises; do
    bid=$raise
    case " $dice " in *" ${raise%:*} "*) break ;; esac
  done
  echo "{\"id\":$id,\"action\":\"bid\",\"quantity\":${bid#*:},\"face\":${bid%:*}}"
}

while IFS= read -r line; do
  case $line in *'"round_end"'*) continue ;; esac # it learns nothing, so need not read that
  cut "$line"
  case $type in
    hello) echo '{"type":"ready","concurrent_games":64,"reusable":true}' ;;
    turn) choose ;;
    bye) exit 0 ;;
  esac
done
