package main

// Talks to the arena, so that bot.go only has to choose. There is no need to change this file.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
)

// Called is a bid that a seat made: Quantity dice or more, of all on the table, show Face.
type Called struct{ Seat, Quantity, Face int }

// Raise is the range of legal bids on one face: any quantity from Min to Max.
type Raise struct{ Face, Min, Max int }

// Move is a bid, or with Face 0 a dudo.
type Move struct{ Quantity, Face int }

// View is all that you know when it is your turn.
type View struct {
	Dice     []int    // your own, 1 to 6; 1 is a paco, which is wild
	Bids     []Called // of this round, oldest first
	Raises   []Raise  // every legal bid, by face; empty if you can only doubt
	Palifico bool     // whether this is a palifico round: pacos are not wild
	Seat     int
	Left     []int // how many dice each seat has left
	Hidden   int   // how many dice you do not see
	Game     int
	Round    int
	Random   *rand.Rand // drawn from the turn, not from the order of questions: games can be repeated
	id       int
}

// Last returns the bid to raise or to doubt; nil if you open the round.
func (v *View) Last() *Called {
	if len(v.Bids) == 0 {
		return nil
	}
	return &v.Bids[len(v.Bids)-1]
}

// Wild returns whether pacos count for a bid on this face.
func (v *View) Wild(face int) bool {
	return face != 1 && !v.Palifico
}

// Own returns how many of your dice count for a bid on this face.
func (v *View) Own(face int) int {
	count := 0
	for _, die := range v.Dice {
		if die == face || die == 1 && v.Wild(face) {
			count++
		}
	}
	return count
}

// Chance returns the chance that a bid holds, if nothing is known of the dice you do not see.
func (v *View) Chance(quantity, face int) float64 {
	if v.Wild(face) {
		return atLeast(quantity-v.Own(face), v.Hidden, 1/3.0)
	}
	return atLeast(quantity-v.Own(face), v.Hidden, 1/6.0)
}

func atLeast(needed, dice int, chance float64) float64 {
	if needed <= 0 {
		return 1
	}
	sum := 0.0
	term := math.Pow(1-chance, float64(dice)) // the chance that no die counts, then one, two, ...
	for k := 0; k <= dice; k++ {
		if k >= needed {
			sum += term
		}
		term *= float64(dice-k) / float64(k+1) * (chance / (1 - chance))
	}
	return sum
}

// Bid returns the move that bids quantity dice of face.
func Bid(quantity, face int) Move { return Move{quantity, face} }

// Dudo returns the move that doubts the last bid.
func Dudo() Move { return Move{} }

// Legal returns whether the rules allow a move.
func Legal(view *View, move Move) bool {
	if move == Dudo() {
		return view.Last() != nil
	}
	for _, raise := range view.Raises {
		if raise.Face == move.Face && raise.Min <= move.Quantity && move.Quantity <= raise.Max {
			return true
		}
	}
	return false
}

// Play answers the arena until it says goodbye.
func Play(choose func(*View) Move) {
	if err := converse(os.Stdin, os.Stdout, choose); err != nil {
		panic(err)
	}
}

// Positions returns the turns of a recorded conversation, such as positions.jsonl.
func Positions(path string) ([]*View, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var views []*View
	err = converse(file, nil, func(view *View) Move {
		views = append(views, view)
		return Dudo()
	})
	if err != nil {
		return nil, fmt.Errorf("%s, %w", path, err)
	}
	return views, nil
}

// message has the fields of all messages; nil is null.
type message struct {
	Type  string
	ID    int
	Seats int
	Seed  int64
	Rules struct {
		StartingDice int `json:"starting_dice"`
	}
	Game         int
	Round        int
	Seat         int
	Dice         json.RawMessage
	Bids         []Called
	DiceCounts   []int `json:"dice_counts"`
	PalificoSeat *int  `json:"palifico_seat"`
	Raises       []Raise
	Loser        *int
	Gainer       *int
}

// table is what is known from earlier messages, by game: so many games can share the pipe.
type table struct {
	hello message
	left  map[int][]int
}

// converse answers every line; without out, which a recorded conversation has not, nothing is said.
func converse(in io.Reader, out io.Writer, choose func(*View) Move) error {
	lines := bufio.NewReader(in)
	var table table
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var heard message
		if err := json.Unmarshal(line, &heard); err != nil {
			return fmt.Errorf("line %d is damaged: %w", number, err)
		}
		answer := ""
		switch heard.Type {
		case "hello":
			table.hello, table.left = heard, map[int][]int{}
			answer = `{"type":"ready","concurrent_games":64,"reusable":true}`
		case "turn":
			view := table.view(&heard)
			if move := choose(view); move == Dudo() {
				answer = fmt.Sprintf(`{"id":%d,"action":"dudo"}`, view.id)
			} else {
				bid := `{"id":%d,"action":"bid","quantity":%d,"face":%d}`
				answer = fmt.Sprintf(bid, view.id, move.Quantity, move.Face)
			}
		case "bye":
			if out != nil {
				return nil
			}
		default:
			table.hear(&heard)
		}
		if out != nil && answer != "" {
			fmt.Fprintln(out, answer)
		}
	}
}

func (t *table) hear(heard *message) {
	left := t.dice(heard.Game)
	switch heard.Type {
	case "round_end":
		if heard.Loser != nil {
			left[*heard.Loser]--
		}
		if heard.Gainer != nil {
			left[*heard.Gainer]++
		}
	case "fault":
		left[heard.Seat] = 0
	case "game_end":
		delete(t.left, heard.Game)
	}
}

// dice returns how many dice each seat has left in a game.
func (t *table) dice(game int) []int {
	if t.left[game] == nil {
		for seat := 0; seat < t.hello.Seats; seat++ {
			t.left[game] = append(t.left[game], t.hello.Rules.StartingDice)
		}
	}
	return t.left[game]
}

func (t *table) view(turn *message) *View {
	left := turn.DiceCounts
	if left == nil {
		left = append(left, t.dice(turn.Game)...)
	}
	view := &View{
		Bids: turn.Bids, Raises: turn.Raises, Palifico: turn.PalificoSeat != nil, Seat: turn.Seat,
		Left: left, Game: turn.Game, Round: turn.Round, id: turn.ID,
	}
	if err := json.Unmarshal(turn.Dice, &view.Dice); err != nil {
		panic(err)
	}
	for _, dice := range left {
		view.Hidden += dice
	}
	view.Hidden -= len(view.Dice)
	seed := t.hello.Seed
	for _, part := range []int{turn.Game, turn.Round, len(turn.Bids)} {
		seed = seed*1_000_003 + int64(part)
	}
	view.Random = rand.New(rand.NewSource(seed))
	return view
}
