/* Talks to the arena, so that bot.c only has to choose. There is no need to change this file.
 *
 * The first part is a small reader for JSON: it finds a field by its name wherever it stands and
 * steps over what it does not know. It trusts the arena to send valid JSON. */

#define _POSIX_C_SOURCE 200809L /* getline */
#include "perudo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GAMES 64 /* at a time */
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

/* Returns the value of an object's field; NULL if there is none. */
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

/* ---- What is known from earlier messages ---- */

static int seats, starting_dice;
static uint64_t own_seed;

/* The dice left in each game under way, so that many games can share the pipe. */
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

static int *left_in_game(const char *message)
{
    int game = number(field(message, "game"));
    struct table *at = find(game);
    if (!at) {
        at = find(NO_GAME) ? find(NO_GAME) : tables;
        at->game = game;
        for (int seat = 0; seat < seats; seat++)
            at->left[seat] = starting_dice;
    }
    return at->left;
}

static void greet(const char *hello)
{
    for (struct table *at = tables; at < tables + MAX_GAMES; at++)
        at->game = NO_GAME; /* what was counted belongs to another table */
    seats = number(field(hello, "seats"));
    starting_dice = number(field(field(hello, "rules"), "starting_dice"));
    own_seed = strtoull(field(hello, "seed"), NULL, 10);
}

static void hear(const char *message)
{
    int loser = number(field(message, "loser")), gainer = number(field(message, "gainer"));
    int *left = left_in_game(message);
    if (loser >= 0)
        left[loser]--;
    if (gainer >= 0)
        left[gainer]++;
    if (is(field(message, "type"), "fault"))
        left[number(field(message, "seat"))] = 0;
    if (is(field(message, "type"), "game_end"))
        find(number(field(message, "game")))->game = NO_GAME;
}

/* ---- Turns ---- */

static void read_view(struct view *view, const char *turn)
{
    const char *at;
    int *left = left_in_game(turn), count = 0;
    *view = (struct view){.seats = seats, .seat = number(field(turn, "seat"))};
    view->game = number(field(turn, "game")), view->round = number(field(turn, "round"));
    view->palifico = number(field(turn, "palifico_seat")) >= 0;
    for (at = first(field(turn, "dice_counts")); at; at = next(at))
        left[count++] = number(at);
    for (int seat = 0; seat < seats; seat++)
        view->hidden += view->left[seat] = left[seat];
    for (at = first(field(turn, "dice")); at && view->n_dice < MAX_DICE; at = next(at))
        view->dice[view->n_dice++] = number(at);
    view->hidden -= view->n_dice;
    for (at = first(field(turn, "bids")); at && view->n_bids < MAX_BIDS; at = next(at))
        view->bids[view->n_bids++] = (struct bid){
            number(field(at, "seat")), number(field(at, "quantity")), number(field(at, "face"))};
    view->last = view->n_bids ? &view->bids[view->n_bids - 1] : NULL;
    for (at = first(field(turn, "raises")); at && view->n_raises < FACES; at = next(at))
        view->raises[view->n_raises++] = (struct raise){
            number(field(at, "face")), number(field(at, "min")), number(field(at, "max"))};
    view->seed = own_seed;
    const int parts[] = {view->game, view->round, view->n_bids};
    for (int i = 0; i < 3; i++) {
        random_number(&view->seed);
        view->seed ^= (uint64_t)parts[i] << 32;
    }
}

bool wild(const struct view *view, int face)
{
    return face != 1 && !view->palifico;
}

int own(const struct view *view, int face)
{
    int count = 0;
    for (int i = 0; i < view->n_dice; i++)
        count += view->dice[i] == face || (view->dice[i] == 1 && wild(view, face));
    return count;
}

double holds(const struct view *view, int quantity, int face)
{
    int needed = quantity - own(view, face), dice = view->hidden;
    double chance = wild(view, face) ? 1 / 3.0 : 1 / 6.0, sum = 0;
    double term = pow(1 - chance, dice); /* the chance that no die counts, then one, two, ... */
    if (needed <= 0)
        return 1;
    for (int k = 0; k <= dice; k++) {
        if (k >= needed)
            sum += term;
        term *= (double)(dice - k) / (k + 1) * (chance / (1 - chance));
    }
    return sum;
}

/* splitmix64 */
double random_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

struct move bid(int quantity, int face)
{
    return (struct move){quantity, face};
}

struct move dudo(void)
{
    return (struct move){0, 0};
}

bool legal(const struct view *view, struct move move)
{
    for (int i = 0; i < view->n_raises; i++) {
        const struct raise *raise = &view->raises[i];
        if (raise->face == move.face && raise->min <= move.quantity && move.quantity <= raise->max)
            return true;
    }
    return move.face == 0 && view->last;
}

/* ---- The conversation ---- */

static void answer(int id, struct move move)
{
    if (move.face == 0)
        printf("{\"id\":%d,\"action\":\"dudo\"}\n", id);
    else
        printf("{\"id\":%d,\"action\":\"bid\",\"quantity\":%d,\"face\":%d}\n", id, move.quantity,
               move.face);
}

int play(chooser *choose)
{
    char *line = NULL;
    size_t size = 0;
    struct view view;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = field(line, "type");
        if (is(type, "hello")) {
            greet(line);
            printf("{\"type\":\"ready\",\"concurrent_games\":%d,\"reusable\":true}\n", MAX_GAMES);
        } else if (is(type, "turn")) {
            read_view(&view, line);
            answer(number(field(line, "id")), choose(&view));
        } else if (is(type, "round_end") || is(type, "fault") || is(type, "game_end")) {
            hear(line);
        } else if (is(type, "bye")) {
            break;
        }
        fflush(stdout); /* or the arena waits for what lies in the buffer */
    }
    free(line);
    return 0;
}

void replay(const char *path, void (*each)(const struct view *view))
{
    char *line = NULL;
    size_t size = 0;
    struct view view;
    FILE *lines = fopen(path, "r");
    if (!lines) {
        perror(path);
        exit(1);
    }
    for (int number = 1; getline(&line, &size, lines) > 0; number++) {
        const char *type = field(line, "type");
        if (!type || !strstr(line, "}\n")) {
            fprintf(stderr, "%s, line %d is damaged\n", path, number);
            exit(1);
        }
        if (is(type, "hello")) {
            greet(line);
        } else if (is(type, "turn")) {
            read_view(&view, line);
            each(&view);
        } else if (!is(type, "bye")) {
            hear(line);
        }
    }
    free(line);
    fclose(lines);
}
