/* Counts dice and plays by two thresholds, in one file of plain C.
 *
 * It doubts a bid that holds with a chance below DOUBT. Otherwise it makes the highest raise that
 * holds with a chance of at least PUSH, to leave the next player little room; where there is none,
 * the likeliest. The chance is a binomial tail over the hidden dice, whose number it keeps from
 * what the arena announces after each round.
 *
 * The first half is a small reader for JSON: it finds a field by its name wherever it stands and
 * steps over what it does not know. It trusts the arena to send valid JSON.
 */

#define _POSIX_C_SOURCE 200809L /* getline */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOUBT 0.35
#define PUSH 0.6
#define MAX_SEATS 6
#define MAX_GAMES 16 /* that are under way at a time */
#define NO_GAME -1

/* ---- Reading JSON: a value is a pointer to its first character ---- */

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n,:");
}

static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* Returns what follows a value of any kind. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        at = skip_space(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++, at++;
        } else if (*at == '}' || *at == ']') {
            depth--, at++;
        } else {
            at += strcspn(at, " \t\r\n,:]}");
        }
    } while (depth > 0 && *at);
    return at;
}

/* Returns the value of an object's field; NULL where there is none. */
static const char *field(const char *object, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = skip_space(skip_space(object) + 1); *at == '"'; at = skip_space(at)) {
        const char *key = at + 1, *end = skip_string(at);
        const char *value = skip_space(end);
        if ((size_t)(end - key) == length + 1 && !strncmp(key, name, length))
            return value;
        at = skip_value(value);
    }
    return NULL;
}

/* Returns the first element of an array, or the one after `at`; NULL at the end. */
static const char *first(const char *array)
{
    const char *at = array && *array == '[' ? skip_space(array + 1) : "]";
    return *at == ']' || !*at ? NULL : at;
}

static const char *next(const char *at)
{
    at = skip_space(skip_value(at));
    return *at == ']' || !*at ? NULL : at;
}

/* Returns a whole number; -1 for null and for a missing field. */
static int number(const char *value)
{
    return value && *value != 'n' ? (int)strtol(value, NULL, 10) : -1;
}

static bool is(const char *value, const char *word)
{
    return value && *value == '"' && !strncmp(value + 1, word, strlen(word))
        && value[1 + strlen(word)] == '"';
}

/* ---- Counting dice ---- */

static int seats, start, *left;

/* The dice left in each game under way; `left` points to those of the game of a message. */
static struct table {
    int game, left[MAX_SEATS];
} tables[MAX_GAMES];

static struct table *find(int game)
{
    for (struct table *at = tables; at < tables + MAX_GAMES; at++)
        if (at->game == game)
            return at;
    return NULL;
}

static void turn_to_game(const char *message)
{
    int game = number(field(message, "game"));
    struct table *at = find(game);
    if (!at) {
        at = find(NO_GAME) ? find(NO_GAME) : tables;
        at->game = game;
        for (int seat = 0; seat < seats; seat++)
            at->left[seat] = start;
    }
    left = at->left;
}

static void hear(const char *message)
{
    turn_to_game(message);
    int loser = number(field(message, "loser")), gainer = number(field(message, "gainer"));
    if (loser >= 0)
        left[loser]--;
    if (gainer >= 0)
        left[gainer]++;
    if (is(field(message, "type"), "fault"))
        left[number(field(message, "seat"))] = 0;
    if (is(field(message, "type"), "game_end"))
        find(number(field(message, "game")))->game = NO_GAME;
}

/* ---- Odds ---- */

static double at_least(int needed, int dice, double chance)
{
    double sum = 0;
    if (needed <= 0)
        return 1;
    for (int k = needed; k <= dice; k++) {
        double ways = lgamma(dice + 1) - lgamma(k + 1) - lgamma(dice - k + 1);
        sum += exp(ways + k * log(chance) + (dice - k) * log1p(-chance));
    }
    return sum;
}

/* Returns the chance that a bid holds, for one who sees only its own dice. */
static double holds(const char *turn, int quantity, int face)
{
    bool wild = face != 1 && number(field(turn, "palifico_seat")) < 0;
    int own = 0, hidden = 0;
    for (int seat = 0; seat < seats; seat++)
        hidden += left[seat];
    for (const char *die = first(field(turn, "dice")); die; die = next(die)) {
        own += number(die) == face || (wild && number(die) == 1);
        hidden--;
    }
    return at_least(quantity - own, hidden, wild ? 1 / 3.0 : 1 / 6.0);
}

/* ---- Playing ---- */

struct raise {
    int quantity, face;
    double chance;
};

/* Returns the highest raise of one range that is safe enough, or its lowest. */
static struct raise push(const char *turn, const char *range)
{
    int max = number(field(range, "max"));
    struct raise found = {number(field(range, "min")), number(field(range, "face")), 0};
    found.chance = holds(turn, found.quantity, found.face);
    while (found.quantity < max) {
        double chance = holds(turn, found.quantity + 1, found.face);
        if (chance < PUSH)
            break;
        found.quantity++, found.chance = chance;
    }
    return found;
}

/* Of two safe raises the higher is better, else the likelier. */
static bool better(struct raise a, struct raise b)
{
    if (a.chance >= PUSH && b.chance >= PUSH)
        return a.quantity > b.quantity;
    return a.chance > b.chance;
}

static bool doubts(const char *turn)
{
    const char *last = NULL;
    for (const char *bid = first(field(turn, "bids")); bid; bid = next(bid))
        last = bid;
    if (!last || !first(field(turn, "raises")))
        return last;
    return holds(turn, number(field(last, "quantity")), number(field(last, "face"))) < DOUBT;
}

static void answer(const char *turn)
{
    struct raise best = {0, 0, -1};
    int id = number(field(turn, "id"));
    turn_to_game(turn);
    if (doubts(turn)) {
        printf("{\"id\":%d,\"action\":\"dudo\"}\n", id);
        return;
    }
    for (const char *range = first(field(turn, "raises")); range; range = next(range)) {
        struct raise found = push(turn, range);
        if (better(found, best))
            best = found;
    }
    printf("{\"id\":%d,\"action\":\"bid\",\"quantity\":%d,\"face\":%d}\n", id, best.quantity,
           best.face);
}

static void greet(const char *hello)
{
    for (struct table *at = tables; at < tables + MAX_GAMES; at++)
        at->game = NO_GAME; /* whatever was counted belongs to another table */
    seats = number(field(hello, "seats"));
    start = number(field(field(hello, "rules"), "starting_dice"));
    printf("{\"type\":\"ready\",\"concurrent_games\":%d,\"reusable\":true}\n", MAX_GAMES);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = field(line, "type");
        if (is(type, "hello"))
            greet(line);
        else if (is(type, "turn"))
            answer(line);
        else if (is(type, "round_end") || is(type, "fault") || is(type, "game_end"))
            hear(line);
        else if (is(type, "bye"))
            break;
        fflush(stdout); /* or the arena waits for what lies in the buffer */
    }
    free(line);
    return 0;
}
