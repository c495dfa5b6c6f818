/* Your bot's tests: cc -std=c11 -o test test.c perudo.c -lm && ./test */

#define main bot_main
#include "bot.c"
#undef main

static int failed;

static void check(bool right, const struct view *view, const char *what)
{
    if (!right) {
        printf("failed: %s, in game %d, round %d, seat %d\n", what, view->game, view->round, view->seat);
        failed = 1;
    }
}

static void each(const struct view *view)
{
    struct move move = choose(view);
    check(legal(view, move), view, "every move is legal");
    if (view->last && view->last->quantity > view->hidden + view->n_dice)
        check(move.face == 0, view, "a bid of more dice than there are is doubted");
}

int main(void)
{
    FILE *lines = fopen("positions.jsonl", "r");
    if (!lines) {
        perror("positions.jsonl");
        return 1;
    }
    printf("%d turns", replay(lines, each));
    puts(failed ? "" : ", all passed");
    fclose(lines);
    return failed;
}
