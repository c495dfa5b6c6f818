/** Your bot's tests: javac -d classes *.java &amp;&amp; java -cp classes BotTest */
class BotTest {
    private static boolean failed = false;

    public static void main(String[] arguments) throws Exception {
        check("every move is legal", BotTest::isLegal);
        check("a bid of more dice than there are is doubted", BotTest::doubtsTheImpossible);
        System.exit(failed ? 1 : 0);
    }

    private static boolean isLegal(Perudo.View view) {
        return Perudo.legal(view, Bot.choose(view));
    }

    private static boolean doubtsTheImpossible(Perudo.View view) {
        Perudo.Bid last = view.last();
        boolean impossible = last != null && last.quantity() > view.hidden() + view.dice().size();
        return !impossible || Perudo.dudo().equals(Bot.choose(view));
    }

    private static void check(String what, java.util.function.Predicate<Perudo.View> isRight)
            throws Exception {
        boolean passed = true;
        for (Perudo.View view : Perudo.positions("positions.jsonl")) {
            if (!isRight.test(view)) {
                System.out.println("failed: " + what + ": " + Bot.choose(view) + " in " + view);
                passed = false;
            }
        }
        if (passed) {
            System.out.println("passed: " + what);
        }
        failed |= !passed;
    }
}
