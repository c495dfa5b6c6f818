# Talks to the arena, so that bot.sh only has to choose. There is no need to change this file.
#
# When `choose` is called, these are set:
#   dice             your own dice, as in "1 4 4"; 1 is a paco, which is wild
#   last_quantity    the bid to raise or to doubt; empty if you open the round
#   last_face
#   raises           every legal bid, as FACE:MIN:MAX; empty if you can only doubt
#   palifico         1 in a palifico round, in which pacos are not wild; otherwise 0
#   bids             how many bids were made in this round
#   hidden           how many dice you do not see
#   alive            how many seats have dice
#   seat game round  numbers, from 0
#   random           a number from 0 to 999, drawn from the turn: your games can be repeated
#
# and these can be called:
#   bid QUANTITY FACE, dudo    the move; one of them, once, and not behind a pipe
#   own FACE                   sets own: how many of your dice count for this face
#   spare QUANTITY FACE        sets spare: the dice that count on average, less the bid, in sixths

set -f # words are not file names

bid() { moved=1; echo "{\"id\":$id,\"action\":\"bid\",\"quantity\":$1,\"face\":$2}"; }

dudo() { moved=1; echo "{\"id\":$id,\"action\":\"dudo\"}"; }

own() {
  own=0
  for die in $dice; do
    if [ "$die" = "$1" ] || [ "$die$palifico" = 10 ]; then own=$((own + 1)); fi
  done
}

spare() {
  own "$2"
  sides=2
  if [ "$2" = 1 ] || [ "$palifico" = 1 ]; then sides=1; fi
  spare=$(((own - $1) * 6 + hidden * sides))
}

play() {
  while IFS= read -r line; do
    take "$line"
    [ "$type" != bye ] || exit 0
    if [ "$type" = turn ]; then ask; fi
  done
}

ask() {
  moved=
  choose
  [ -n "$moved" ] && return
  echo "bot.sh: choose called neither bid nor dudo; it must call one of them" >&2
  exit 1
}

# Sets everything of a line; answers if it is `hello`.
take() {
  cut "$1"
  case $type in
    hello) table=$((table + 1)) # what was counted belongs to another table
           echo '{"type":"ready","concurrent_games":64,"reusable":true}' ;;
    turn) hide && draw ;;
    round_end) change "$loser" -1 && change "$gainer" 1 ;;
    fault) count "$seat" && change "$seat" "-$left" ;;
    game_end) i=0; while [ $i -lt "$seats" ]; do unset "left_${table}_${game}_$i"; i=$((i + 1)); done ;;
  esac
}

# Sets left: how many dice a seat has left.
count() { eval "left=\${left_${table}_${game}_$1:-$starting_dice}"; }

change() {
  [ "$1" != null ] || return 0
  count "$1"
  eval "left_${table}_${game}_$1=$((left + $2))"
}

# Sets hidden.
hide() {
  hidden=0 i=0
  for die in $dice; do hidden=$((hidden - 1)); done
  while [ $i -lt "$seats" ]; do
    count $i
    hidden=$((hidden + left)) i=$((i + 1))
  done
}

# Sets random.
draw() {
  random=$((((seed * 31 + game) * 31 + round) * 31 + bids))
  for i in 1 2 3; do random=$(((random & 2147483647) * 1103515245 + 12345)); done
  random=$(((random & 2147483647) / 1024 % 1000))
}

# Cuts a line into words at the punctuation and goes through them: names of fields, each followed by
# its values. That is enough for this protocol.
cut() {
  name= list= type= dice= alive=0 bids=0 palifico=0 last_quantity= last_face= raises=
  IFS=' {}[]:,"'
  for word in $1; do
    case $word in
      '') ;;
      [0-9]* | null | true | false) value "$word" ;;
      *) if [ "$name" = type ]; then type=$word name=; else name=$word; fi
         case $word in seat | quantity | face | min | max) ;; *) list=$word ;; esac ;;
    esac
  done
  IFS=' '
}

# Takes a value of the field `name`; `list` is the list that it stands in.
value() {
  case $list.$name in
    bids.quantity) last_quantity=$1 bids=$((bids + 1)) ;;
    bids.face) last_face=$1 ;;
    raises.face) raises="$raises $1" ;;
    raises.min | raises.max) raises="$raises:$1" ;;
    alive.alive) alive=$((alive + 1)) ;;
    dice.dice) dice="$dice $1" ;;
    palifico_seat.*) [ "$1" = null ] || palifico=1 ;;
    bids.seat) ;;
    *.id) id=$1 ;;
    *.game) game=$1 ;;
    *.round) round=$1 ;;
    *.seat) seat=$1 ;;
    *.loser) loser=$1 ;;
    *.gainer) gainer=$1 ;;
    *.seats) seats=$1 ;;
    *.seed) seed=$1 ;;
    *.starting_dice) starting_dice=$1 ;;
  esac
}
