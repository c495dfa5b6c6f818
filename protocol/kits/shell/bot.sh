#!/bin/sh
# Your bot: edit `choose`.

. ./perudo.sh

# Calls `bid QUANTITY FACE` or `dudo`. perudo.sh says what it may look at.
#
# This one makes the raise with the most dice to spare, unless the last bid lacks more than that.
choose() {
  most=-1000
  for raise in $raises; do # FACE:MIN:MAX
    face=${raise%%:*} quantity=${raise#*:}
    quantity=${quantity%:*}
    spare "$quantity" "$face"
    if [ "$spare" -gt "$most" ]; then most=$spare best="$quantity $face"; fi
  done
  if [ -n "$last_face" ]; then
    spare "$last_quantity" "$last_face"
    if [ -z "$raises" ] || [ $((-spare)) -gt "$most" ]; then dudo && return; fi
  fi
  bid $best
}

[ -n "$testing" ] || play
