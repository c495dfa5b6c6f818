/* What bot.c may use of perudo.c, which talks to the arena. There is no need to change these files. */

#ifndef PERUDO_H
#define PERUDO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h> /* for fprintf(stderr, ...) */

enum { MAX_SEATS = 6, MAX_DICE = 10, FACES = 6, MAX_BIDS = 512 };

/* `quantity` dice or more, of all on the table, show `face`. */
struct bid {
    int seat, quantity, face;
};

/* The legal bids on one face: any quantity from min to max. */
struct raise {
    int face, min, max;
};

/* All that you know when it is your turn. */
struct view {
    int dice[MAX_DICE], n_dice; /* your own, 1 to 6; 1 is a paco, which is wild */
    struct bid bids[MAX_BIDS];  /* of this round, oldest first */
    int n_bids;
    const struct bid *last;     /* the bid to raise or to doubt; NULL if you open the round */
    struct raise raises[FACES]; /* every legal bid, by face; none if you can only doubt */
    int n_raises;
    bool palifico;              /* whether this is a palifico round: pacos are not wild */
    int seat, seats;
    int left[MAX_SEATS];        /* how many dice each seat has left */
    int hidden;                 /* how many dice you do not see */
    int game, round;
    uint64_t seed;              /* for random_number */
};

struct move {
    int quantity, face; /* face 0: dudo */
};

struct move bid(int quantity, int face);
struct move dudo(void);

/* Returns whether pacos count for a bid on this face. */
bool wild(const struct view *view, int face);

/* Returns how many of your dice count for a bid on this face. */
int own(const struct view *view, int face);

/* Returns the chance that a bid holds, if nothing is known of the dice you do not see. */
double holds(const struct view *view, int quantity, int face);

/* Returns a number from 0 to 1; start with `uint64_t state = view->seed`. Drawn from the turn, not
 * from the order of questions, it lets your games be repeated. */
double random_number(uint64_t *state);

/* Returns whether the rules allow a move. */
bool legal(const struct view *view, struct move move);

typedef struct move chooser(const struct view *view);

/* Answers the arena until it says goodbye. */
int play(chooser *choose);

/* Calls a function with each turn of a recorded conversation, such as positions.jsonl. */
void replay(const char *path, void (*each)(const struct view *view));

#endif
