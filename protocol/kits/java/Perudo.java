import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/** Talks to the arena, so that Bot.java only has to choose. There is no need to change this file. */
class Perudo {
    /** {@code quantity} dice or more, of all on the table, show {@code face}. */
    record Bid(int seat, int quantity, int face) {}

    /** The legal bids on one face: any quantity from min to max. */
    record Raise(int face, int min, int max) {}

    /** A bid, or with face 0 a dudo. */
    record Move(int quantity, int face) {}

    /**
     * All that you know when it is your turn.
     *
     * @param id the number of the request
     * @param dice your own, 1 to 6; 1 is a paco, which is wild
     * @param bids those of this round, oldest first
     * @param raises every legal bid, by face; empty if you can only doubt
     * @param palifico whether this is a palifico round: pacos are not wild
     * @param left how many dice each seat has left
     * @param hidden how many dice you do not see
     * @param random drawn from the turn, not from the order of questions: your games can be repeated
     */
    record View(
            int id,
            List<Integer> dice,
            List<Bid> bids,
            List<Raise> raises,
            boolean palifico,
            int seat,
            List<Integer> left,
            int hidden,
            int game,
            int round,
            SplittableRandom random) {

        /** Returns the bid to raise or to doubt; null if you open the round. */
        Bid last() {
            return bids.isEmpty() ? null : bids.get(bids.size() - 1);
        }

        /** Returns whether pacos count for a bid on this face. */
        boolean wild(int face) {
            return face != 1 && !palifico;
        }

        /** Returns how many of your dice count for a bid on this face. */
        int own(int face) {
            return (int) dice.stream().filter(die -> die == face || die == 1 && wild(face)).count();
        }

        /** Returns the chance that a bid holds, if nothing is known of the dice you do not see. */
        double chance(int quantity, int face) {
            return atLeast(quantity - own(face), hidden, wild(face) ? 1 / 3.0 : 1 / 6.0);
        }
    }

    private static double atLeast(int needed, int dice, double chance) {
        if (needed <= 0) {
            return 1;
        }
        double sum = 0;
        double term = Math.pow(1 - chance, dice); // the chance that no die counts, then one, two, ...
        for (int k = 0; k <= dice; k++) {
            if (k >= needed) {
                sum += term;
            }
            term *= (double) (dice - k) / (k + 1) * (chance / (1 - chance));
        }
        return sum;
    }

    static Move bid(int quantity, int face) {
        return new Move(quantity, face);
    }

    static Move dudo() {
        return new Move(0, 0);
    }

    /** Returns whether the rules allow a move. */
    static boolean legal(View view, Move move) {
        if (dudo().equals(move)) {
            return view.last() != null;
        }
        return move != null && view.raises().stream().anyMatch(one -> one.face() == move.face()
                && one.min() <= move.quantity() && move.quantity() <= one.max());
    }

    /** Answers the arena until it says goodbye. */
    static void play(Function<View, Move> choose) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var table = new Table();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> message = object(new Json(line).value());
            View view = table.take(message);
            if (view != null) {
                Move move = checked(choose.apply(view));
                String action = move.equals(dudo())
                        ? "\"dudo\""
                        : "\"bid\",\"quantity\":" + move.quantity() + ",\"face\":" + move.face();
                out.print("{\"id\":" + view.id() + ",\"action\":" + action + "}\n");
                out.flush();
            } else if ("hello".equals(message.get("type"))) {
                out.print("{\"type\":\"ready\",\"concurrent_games\":64,\"reusable\":true}\n");
                out.flush();
            } else if ("bye".equals(message.get("type"))) {
                return;
            }
        }
    }

    private static Move checked(Move move) {
        if (move == null) {
            String must = "it must return Perudo.bid(quantity, face) or Perudo.dudo()";
            System.err.println("Bot.java: choose() returned null; " + must);
            System.exit(1);
        }
        return move;
    }

    /** Returns the turns of a recorded conversation, such as positions.jsonl. */
    static List<View> positions(String path) throws IOException {
        var table = new Table();
        var views = new ArrayList<View>();
        int number = 0;
        for (String line : Files.readAllLines(Path.of(path))) {
            number++;
            try {
                View view = table.take(object(new Json(line).value()));
                if (view != null) {
                    views.add(view);
                }
            } catch (RuntimeException error) {
                System.err.println(path + ", line " + number + " is damaged");
                System.exit(1);
            }
        }
        return views;
    }

    /** What is known from earlier messages, by game: so many games can share the pipe. */
    private static class Table {
        private Map<String, Object> hello;
        private final Map<Integer, List<Integer>> games = new HashMap<>();

        /** Takes a message in; returns what is known if it is a turn, otherwise null. */
        View take(Map<String, Object> message) {
            switch ((String) message.get("type")) {
                case "hello" -> {
                    hello = message;
                    games.clear();
                }
                case "turn" -> {
                    return view(message);
                }
                case "round_end" -> {
                    change(message, "loser", -1);
                    change(message, "gainer", 1);
                }
                case "fault" -> left(message).set(number(message, "seat"), 0);
                case "game_end" -> games.remove(number(message, "game"));
                default -> { }
            }
            return null;
        }

        private List<Integer> left(Map<String, Object> message) {
            int start = number(object(hello.get("rules")), "starting_dice");
            var all = Collections.nCopies(number(hello, "seats"), start);
            return games.computeIfAbsent(number(message, "game"), game -> new ArrayList<>(all));
        }

        private void change(Map<String, Object> message, String field, int by) {
            if (message.get(field) != null) {
                var left = left(message);
                int seat = number(message, field);
                left.set(seat, left.get(seat) + by);
            }
        }

        private View view(Map<String, Object> turn) {
            List<Integer> dice = numbers(turn.get("dice"));
            var bids = new ArrayList<Bid>();
            for (Object item : list(turn.get("bids"))) {
                var one = object(item);
                bids.add(new Bid(number(one, "seat"), number(one, "quantity"), number(one, "face")));
            }
            var raises = new ArrayList<Raise>();
            for (Object item : list(turn.get("raises"))) {
                var one = object(item);
                raises.add(new Raise(number(one, "face"), number(one, "min"), number(one, "max")));
            }
            Object counts = turn.get("dice_counts");
            var left = counts == null ? List.copyOf(left(turn)) : numbers(counts);
            int game = number(turn, "game");
            int round = number(turn, "round");
            long seed = 0;
            for (long part : new long[] {(Long) hello.get("seed"), game, round, bids.size()}) {
                seed = new SplittableRandom(seed ^ part).nextLong();
            }
            return new View(
                    number(turn, "id"),
                    dice,
                    bids,
                    raises,
                    turn.get("palifico_seat") != null,
                    number(turn, "seat"),
                    left,
                    left.stream().mapToInt(n -> n).sum() - dice.size(),
                    game,
                    round,
                    new SplittableRandom(seed));
        }
    }

    private static int number(Map<String, Object> message, String field) {
        return ((Long) message.get(field)).intValue();
    }

    private static List<Integer> numbers(Object value) {
        return list(value).stream().map(one -> ((Long) one).intValue()).toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    /** Reads as much of JSON as the protocol has. It trusts the arena to send valid lines. */
    private static class Json {
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        /** Returns a map, a list, a string, a Long, a Double, a Boolean or null. */
        Object value() {
            switch (next()) {
                case '"' -> {
                    return string();
                }
                case '[' -> {
                    var items = new ArrayList<Object>();
                    for (at++; next() != ']';) {
                        items.add(value());
                    }
                    at++;
                    return items;
                }
                case '{' -> {
                    var fields = new LinkedHashMap<String, Object>();
                    for (at++; next() != '}';) {
                        String name = string();
                        fields.put(name, value());
                    }
                    at++;
                    return fields;
                }
                default -> {
                    return word();
                }
            }
        }

        private Object word() {
            int start = at;
            while (at < text.length() && " ,:]}\t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(start, at);
            return switch (word) {
                case "null" -> null;
                case "true", "false" -> Boolean.valueOf(word);
                default -> word.matches("-?\\d+") ? (Object) Long.valueOf(word) : Double.valueOf(word);
            };
        }

        /** Returns the next sign that is neither space nor punctuation between values. */
        private char next() {
            while (" ,:\t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return text.charAt(at);
        }

        /** Returns a string; an escaped sign stands for itself, as no word of the protocol has any. */
        private String string() {
            var found = new StringBuilder();
            next();
            for (at++; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) == '\\') {
                    at++;
                }
                found.append(text.charAt(at));
            }
            at++;
            return found.toString();
        }
    }
}
