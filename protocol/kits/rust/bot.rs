//! Your bot: edit `choose`.

mod perudo;
#[cfg(test)]
mod test;

use perudo::{bid, dudo, play, Move, View};

/// Returns `bid(quantity, face)` or `dudo()`.
///
/// This one makes the raise that holds most often, unless the last bid is less likely to hold.
pub fn choose(view: &View) -> Move {
    let mut best = None;
    let mut most = -1.0;
    for raise in &view.raises {
        let chance = view.chance(raise.min, raise.face);
        if chance > most {
            best = Some(raise);
            most = chance;
        }
    }
    if let Some(last) = view.last() {
        if 1.0 - view.chance(last.quantity, last.face) > most {
            return dudo();
        }
    }
    match best {
        Some(raise) => bid(raise.min, raise.face),
        None => dudo(),
    }
}

fn main() {
    play(choose);
}
