/** Your bot: edit {@code choose}. */
class Bot {
    /**
     * Returns bid(quantity, face) or dudo().
     *
     * <p>This one makes the raise that holds most often, unless the last bid is less likely to hold.
     */
    static Perudo.Move choose(Perudo.View view) {
        Perudo.Raise best = null;
        double most = -1;
        for (Perudo.Raise raise : view.raises()) {
            double chance = view.chance(raise.min(), raise.face());
            if (chance > most) {
                best = raise;
                most = chance;
            }
        }
        if (best == null) {
            return Perudo.dudo();
        }
        Perudo.Bid last = view.last();
        if (last != null && 1 - view.chance(last.quantity(), last.face()) > most) {
            return Perudo.dudo();
        }
        return Perudo.bid(best.min(), best.face());
    }

    public static void main(String[] arguments) throws Exception {
        Perudo.play(Bot::choose);
    }
}
