package main

// Your bot: edit choose.

// choose returns Bid(quantity, face) or Dudo().
//
// This one makes the raise that holds most often, unless the last bid is less likely to hold.
func choose(view *View) Move {
	var best *Raise
	most := -1.0
	for i, raise := range view.Raises {
		if chance := view.Chance(raise.Min, raise.Face); chance > most {
			best, most = &view.Raises[i], chance
		}
	}
	if best == nil {
		return Dudo()
	}
	if last := view.Last(); last != nil && 1-view.Chance(last.Quantity, last.Face) > most {
		return Dudo()
	}
	return Bid(best.Min, best.Face)
}

func main() {
	Play(choose)
}
