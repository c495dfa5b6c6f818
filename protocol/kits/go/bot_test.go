package main

// Your bot's tests: go test

import (
	"fmt"
	"testing"
)

func turns(t *testing.T) []*View {
	views, err := Positions("positions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return views
}

func TestEveryMoveIsLegal(t *testing.T) {
	for _, view := range turns(t) {
		if move := choose(view); !Legal(view, move) {
			t.Errorf("%+v in %+v", move, view)
		}
	}
	passed(t, "every move is legal")
}

func TestBidOfMoreDiceThanThereAreIsDoubted(t *testing.T) {
	for _, view := range turns(t) {
		last := view.Last()
		if last != nil && last.Quantity > view.Hidden+len(view.Dice) && choose(view) != Dudo() {
			t.Errorf("%+v is not doubted in %+v", last, view)
		}
	}
	passed(t, "a bid of more dice than there are is doubted")
}

func passed(t *testing.T, what string) {
	if !t.Failed() {
		fmt.Println("passed:", what)
	}
}
