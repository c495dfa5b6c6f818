//! Your bot's tests: rustc --test --edition 2021 -o test bot.rs && ./test

use crate::choose;
use crate::perudo::{legal, positions, Move};
use std::io::{stdout, Write};

#[test]
fn every_move_is_legal() {
    for view in positions("positions.jsonl") {
        let chosen = choose(&view);
        assert!(legal(&view, chosen), "{:?} in {:?}", chosen, view);
    }
    passed("every move is legal");
}

#[test]
fn bid_of_more_dice_than_there_are_is_doubted() {
    for view in positions("positions.jsonl") {
        if let Some(last) = view.last() {
            if last.quantity > view.left.iter().sum() {
                assert_eq!(choose(&view), Move::Dudo);
            }
        }
    }
    passed("a bid of more dice than there are is doubted");
}

fn passed(what: &str) {
    // What a test prints with println! is not shown.
    writeln!(stdout(), "passed: {what}").unwrap();
}
