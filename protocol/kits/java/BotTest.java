/** Your bot's tests: javac -d classes *.java &amp;&amp; java -cp classes BotTest */
class BotTest {
    private static int failed = 0;

    public static void main(String[] arguments) throws Exception {
        var turns = Perudo.positions("positions.jsonl");
        for (Perudo.View view : turns) {
            Perudo.Move move = Bot.choose(view);
            check(Perudo.legal(view, move), "every move is legal", view, move);
            Perudo.Bid last = view.last();
            if (last != null && last.quantity() > view.hidden() + view.dice().size()) {
                boolean doubts = move.equals(Perudo.dudo());
                check(doubts, "a bid of more dice than there are is doubted", view, move);
            }
        }
        System.out.println(turns.size() + " turns, failed: " + failed);
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void check(boolean right, String what, Perudo.View view, Perudo.Move move) {
        if (!right) {
            System.out.println("failed: " + what + ": " + move + " in " + view);
            failed++;
        }
    }
}
