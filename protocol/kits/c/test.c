/* Your bot's tests: cc -Werror=return-type -std=c11 -o test test.c perudo.c -lm && ./test */

#define main bot_main
#include "bot.c"
#undef main

static const char legality[] = "every move is legal";
static const char doubt[] = "a bid of more dice than there are is doubted";
static int illegal, missed; /* how often they were not */

static int check(bool right, const struct view *view, const char *what)
{
    if (!right)
        printf("failed: %s, in game %d, round %d, seat %d\n", what, view->game, view->round, view->seat);
    return !right;
}

static void each(const struct view *view)
{
    struct move move = choose(view);
    illegal += check(legal(view, move), view, legality);
    if (view->last && view->last->quantity > view->hidden + view->n_dice)
        missed += check(move.face == 0, view, doubt);
}

int main(void)
{
    replay("positions.jsonl", each);
    if (!illegal)
        printf("passed: %s\n", legality);
    if (!missed)
        printf("passed: %s\n", doubt);
    return illegal || missed;
}
