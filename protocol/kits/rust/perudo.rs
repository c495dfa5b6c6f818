//! Talks to the arena, so that bot.rs only has to choose. There is no need to change this file.

#![allow(dead_code)] // a bot need not use all of it

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// `quantity` dice or more, of all on the table, show `face`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bid {
    pub seat: usize,
    pub quantity: i32,
    pub face: i32,
}

/// The legal bids on one face: any quantity from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raise {
    pub face: i32,
    pub min: i32,
    pub max: i32,
}

/// All that you know when it is your turn.
#[derive(Clone, Debug)]
pub struct View {
    /// Your own dice, 1 to 6; 1 is a paco, which is wild.
    pub dice: Vec<i32>,
    /// The bids of this round, oldest first.
    pub bids: Vec<Bid>,
    /// Every legal bid, by face; empty if you can only doubt.
    pub raises: Vec<Raise>,
    /// Whether this is a palifico round: pacos are not wild.
    pub palifico: bool,
    pub seat: usize,
    /// How many dice each seat has left.
    pub left: Vec<i32>,
    /// How many dice you do not see.
    pub hidden: i32,
    pub game: i64,
    pub round: i64,
    /// Drawn from the turn, not from the order of questions: your games can be repeated.
    pub random: Random,
}

impl View {
    /// Returns the bid to raise or to doubt; `None` if you open the round.
    pub fn last(&self) -> Option<Bid> {
        self.bids.last().copied()
    }

    /// Returns whether pacos count for a bid on this face.
    pub fn wild(&self, face: i32) -> bool {
        face != 1 && !self.palifico
    }

    /// Returns how many of your dice count for a bid on this face.
    pub fn own(&self, face: i32) -> i32 {
        let counts = |die: &&i32| **die == face || (**die == 1 && self.wild(face));
        self.dice.iter().filter(counts).count() as i32
    }

    /// Returns the chance that a bid holds, if nothing is known of the dice you do not see.
    pub fn chance(&self, quantity: i32, face: i32) -> f64 {
        let chance = if self.wild(face) { 1.0 / 3.0 } else { 1.0 / 6.0 };
        at_least(quantity - self.own(face), self.hidden, chance)
    }
}

fn at_least(needed: i32, dice: i32, chance: f64) -> f64 {
    if needed <= 0 {
        return 1.0;
    }
    let mut sum = 0.0;
    let mut term = (1.0 - chance).powi(dice); // the chance that no die counts, then one, two, ...
    for k in 0..=dice {
        if k >= needed {
            sum += term;
        }
        term *= f64::from(dice - k) / f64::from(k + 1) * (chance / (1.0 - chance));
    }
    sum
}

/// A small random generator (splitmix64); copy it out of the view to draw from it.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    fn of(numbers: [i64; 4]) -> Random {
        let mut random = Random(0);
        for number in numbers {
            random.0 ^= number as u64;
            random.0 = random.bits();
        }
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1.
    pub fn draw(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    Bid { quantity: i32, face: i32 },
    Dudo,
}

pub fn bid(quantity: i32, face: i32) -> Move {
    Move::Bid { quantity, face }
}

pub fn dudo() -> Move {
    Move::Dudo
}

/// Returns whether the rules allow a move.
pub fn legal(view: &View, chosen: Move) -> bool {
    match chosen {
        Move::Dudo => view.last().is_some(),
        Move::Bid { quantity, face } => (view.raises.iter())
            .any(|one| one.face == face && one.min <= quantity && quantity <= one.max),
    }
}

/// Answers the arena until it says goodbye.
pub fn play(choose: fn(&View) -> Move) {
    let mut out = io::stdout();
    let mut reader = Reader::default();
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        let answer = match reader.take(&line) {
            Heard::Hello => r#"{"type":"ready","concurrent_games":64,"reusable":true}"#.to_string(),
            Heard::Turn(id, view) => match choose(&view) {
                Move::Dudo => format!(r#"{{"id":{id},"action":"dudo"}}"#),
                Move::Bid { quantity, face } => {
                    format!(r#"{{"id":{id},"action":"bid","quantity":{quantity},"face":{face}}}"#)
                }
            },
            Heard::Nothing => continue,
            Heard::Bye => break,
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).expect("the arena reads");
    }
}

/// Returns the turns of a recorded conversation, such as positions.jsonl.
pub fn positions(path: &str) -> Vec<View> {
    let mut reader = Reader::default();
    let text = std::fs::read_to_string(path).expect("the recorded turns");
    let turn = |(index, line): (usize, &str)| {
        let whole = line.starts_with('{') && line.ends_with('}');
        assert!(whole, "{path}, line {} is damaged", index + 1);
        match reader.take(line) {
            Heard::Turn(_, view) => Some(view),
            _ => None,
        }
    };
    text.lines().enumerate().filter_map(turn).collect()
}

enum Heard {
    Hello,
    Turn(i64, View),
    Nothing,
    Bye,
}

/// What is known from earlier messages, by game: so many games can share the pipe.
#[derive(Default)]
struct Reader {
    seats: usize,
    starting_dice: i32,
    seed: i64,
    games: HashMap<i64, Vec<i32>>,
}

impl Reader {
    fn take(&mut self, line: &str) -> Heard {
        let message = Json::parse(line);
        let game = message.get("game").number().unwrap_or(0);
        match message.get("type").text() {
            "hello" => {
                self.seats = message.get("seats").int() as usize;
                self.starting_dice = message.get("rules").get("starting_dice").int();
                self.seed = message.get("seed").number().unwrap_or(0);
                self.games.clear();
                return Heard::Hello;
            }
            "turn" => {
                let id = message.get("id").number().expect("an id");
                return Heard::Turn(id, self.view(&message, game));
            }
            "round_end" => {
                for (name, change) in [("loser", -1), ("gainer", 1)] {
                    if let Some(seat) = message.get(name).number() {
                        self.left(game)[seat as usize] += change;
                    }
                }
            }
            "fault" => self.left(game)[message.get("seat").int() as usize] = 0,
            "game_end" => drop(self.games.remove(&game)),
            "bye" => return Heard::Bye,
            _ => {}
        }
        Heard::Nothing
    }

    fn left(&mut self, game: i64) -> &mut Vec<i32> {
        let start = vec![self.starting_dice; self.seats];
        self.games.entry(game).or_insert(start)
    }

    fn view(&mut self, turn: &Json, game: i64) -> View {
        let dice: Vec<i32> = turn.get("dice").items().iter().map(Json::int).collect();
        let bids: Vec<Bid> = (turn.get("bids").items().iter())
            .map(|one| Bid {
                seat: one.get("seat").int() as usize,
                quantity: one.get("quantity").int(),
                face: one.get("face").int(),
            })
            .collect();
        let raises = (turn.get("raises").items().iter())
            .map(|one| Raise {
                face: one.get("face").int(),
                min: one.get("min").int(),
                max: one.get("max").int(),
            })
            .collect();
        let mut left: Vec<i32> = turn.get("dice_counts").items().iter().map(Json::int).collect();
        if left.is_empty() {
            left = self.left(game).clone();
        }
        let round = turn.get("round").number().unwrap_or(0);
        View {
            hidden: left.iter().sum::<i32>() - dice.len() as i32,
            palifico: turn.get("palifico_seat").number().is_some(),
            seat: turn.get("seat").int() as usize,
            random: Random::of([self.seed, game, round, bids.len() as i64]),
            dice,
            bids,
            raises,
            left,
            game,
            round,
        }
    }
}

/// As much of JSON as the protocol has. It trusts the arena to send valid lines.
enum Json {
    Null,
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    fn parse(line: &str) -> Json {
        Json::value(line.as_bytes(), &mut 0)
    }

    /// Returns a field; null if it is missing.
    fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => {
                fields.iter().find(|(key, _)| key == name).map_or(&NULL, |(_, value)| value)
            }
            _ => &NULL,
        }
    }

    fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    fn number(&self) -> Option<i64> {
        match self {
            Json::Number(number) => Some(*number as i64),
            _ => None,
        }
    }

    fn int(&self) -> i32 {
        self.number().expect("a number") as i32
    }

    fn value(text: &[u8], at: &mut usize) -> Json {
        match Json::next(text, at) {
            b'"' => Json::Text(Json::string(text, at)),
            b'[' => {
                let mut items = Vec::new();
                *at += 1;
                while Json::next(text, at) != b']' {
                    items.push(Json::value(text, at));
                }
                *at += 1;
                Json::List(items)
            }
            b'{' => {
                let mut fields = Vec::new();
                *at += 1;
                while Json::next(text, at) != b'}' {
                    let key = Json::string(text, at);
                    fields.push((key, Json::value(text, at)));
                }
                *at += 1;
                Json::Object(fields)
            }
            _ => {
                let start = *at;
                while *at < text.len() && !b" ,:]}\t\r\n".contains(&text[*at]) {
                    *at += 1;
                }
                let word = std::str::from_utf8(&text[start..*at]).unwrap_or("");
                word.parse().map_or(Json::Null, Json::Number)
            }
        }
    }

    /// Returns the next sign that is neither space nor punctuation between values.
    fn next(text: &[u8], at: &mut usize) -> u8 {
        while b" ,:\t\r\n".contains(&text[*at]) {
            *at += 1;
        }
        text[*at]
    }

    /// Returns a string; an escaped sign stands for itself, as no word of the protocol has any.
    fn string(text: &[u8], at: &mut usize) -> String {
        let mut found = Vec::new();
        *at += 1;
        while text[*at] != b'"' {
            *at += usize::from(text[*at] == b'\\');
            found.push(text[*at]);
            *at += 1;
        }
        *at += 1;
        String::from_utf8_lossy(&found).into_owned()
    }
}
