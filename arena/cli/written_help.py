"""What help and completion say of the commands: written by `make commands`."""

HELP = {
    "": """\
Usage: arena [OPTIONS] COMMAND [ARGS]...

  A tournament arena for bots that play Perudo (liar's dice, dudo).

  Exit codes: 0 success, 1 findings (a bot faulted, a position was refused, a
  store does not verify, no sandbox is safe for untrusted bots, a fixture was
  quarantined), 2 bad input, 3 internal error, 130 interrupted, 141 nobody
  read the rest of the output.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
  new      Make a folder with a bot that already plays.
  check    Try a bot step by step and say how to mend it.
  watch    Try a bot after every save, in one line.
  play     Play a quick table: bots, or bots and you.
  coach    Show a bot's leaks, and the change that mends each.
  puzzle   Show a bot's worst turns as puzzles: what would you do?
  compare  Say whether a new version of a bot is better, and how it differs.
  alike    Show which bots are alike, by source and by what they decide.
  rerun    Play a stored fixture again, or ask a new build, and compare.
  debug    Ask a bot what it was asked in a game or a file, step by step.
  submit   Submit a bot to a ladder.
  run      Play a league and write its report.
  status   Show the progress of a league, even while it runs.
  report   Write the site of a stored league.
  card     Write the rank of a bot as a picture, for a README.
  final    Play a final of the best, told as it goes.
  animate  Write a stored game as an animated picture.
  export   Write one row per game: CSV, JSON lines, Parquet.
  verify   Replay and check a stored league.
  backup   Copy a stored league, even while it is played.
  mend     Remove what is damaged from a stored league, to be played again.
  prune    Remove the oldest logs of a stored league to save space.
  ladder   Run a ladder: a league that never ends.
  serve    Open the web door of a ladder.
  demo     Run a ladder with sample bots and its web door, to look at.
  class    Open a ladder to a class in a room, for an hour.
  course   Mark the hand-ins of a course.
  exploit  Say how much a best response wins against a bot.
  rules    Print the rule books, clause by clause.
  judge    Apply the rules to positions.
  perft    Count the bid sequences of a round.
  doctor   Test what each sandbox isolates on this machine.
  images   List or build the images of the docker sandbox.
  upgrade  Say whether this version goes on with a folder.
  help     Show a page of the manual.
""",
    "new": """\
Usage: arena new [OPTIONS] [FOLDER]

  Make FOLDER, with a bot that already plays: one function of it is yours to
  edit.

  The bot is named like the folder. A helper file beside it talks to the
  arena, and needs nothing but the language itself.

Options:
  --lang, --kit LANGUAGE  One of those that --list shows.  [default: python]
  --list                  List the kits.
  --json                  Print data as JSON.
  -h, --help              Show this message and exit.
""",
    "check": """\
Usage: arena check [OPTIONS] BOT...

  Try each BOT (a folder with a bot.yaml, an archive, sample:NAME) step by
  step.

  Stops at the first fault and shows what was sent, what came back and how to
  mend it; the exit code is 1 then. Ctrl-C keeps what was found.

Options:
  --sandbox NAME        auto, docker, bubblewrap or process [default: as in
                        league.yaml, otherwise auto].
  --trust-bots          Run unvetted bots without isolation, as your own user.
                        No salt is mixed into a seed.
  --packages            Have pip fetch the Python packages that bots ask for.
  --all                 Go on after the first fault.
  --step N              Try only step N, and what it needs.
  --stderr              Print the end of what the bot and its build wrote, 64
                        KiB of each.
  --transcript VARIANT  Instead, have the BOTs play one game and print the
                        conversation and the faults.
  --image TEXT          Check it in a container of this image (the docker
                        sandbox).
  --sandbox-path PATH   Show it a folder or file of this machine, as
                        `sandbox_paths` in league.yaml does.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "watch": """\
Usage: arena watch [OPTIONS] BOT

  Try BOT, a folder, whenever a file in it is saved: the first steps of the
  check, then games.

  Prints one line for each save, which changes as games are played; without a
  terminal, or with --json, a line after the steps and one after the games.
  Ctrl-C ends it.

Options:
  --against BOT          Whom it plays: a folder, an archive or sample:NAME.
                         [default: sample:honest]
  --games INTEGER RANGE  Games after a save, rounded up to a multiple of 20:
                         ten in each seat, on the same dice.  [default: 100;
                         1<=x<=100000]
  --variant NAME         The rule book, or the file of a house's rules.
                         [default: bga]
  --sandbox NAME         auto, docker, bubblewrap or process [default: as in
                         league.yaml, otherwise auto].
  --trust-bots           Run unvetted bots without isolation, as your own
                         user. No salt is mixed into a seed.
  --packages             Have pip fetch the Python packages that bots ask for.
  --json                 Print data as JSON.
  -h, --help             Show this message and exit.
""",
    "play": """\
Usage: arena play [OPTIONS] BOT...

  Play the BOTs (folders, archives, sample:NAME) at one table, and print who
  won how often.

  The games are stored in a league of their own, on which every other command
  works.

Options:
  --me                           Take a seat yourself, in this terminal.
  --web                          With --me: sit in the browser instead.
  --port INTEGER RANGE           With --web: port of the page [default: any
                                 that is free, or 8500 in a container].
                                 [0<=x<=65535]
  --games INTEGER RANGE          Games in each order of seats [default: 20, or
                                 1 with --me].  [1<=x<=100000]
  --variant NAME                 The rule book, or the file of a house's
                                 rules.  [default: bga]
  --calza                        Play with calza.
  --lost-dice-visible            Show how many dice everyone has left.
  --starting-dice INTEGER RANGE  Dice of each player.  [1<=x<=10]
  --seed TEXT                    Repeats the dice; own bots need --trust-bots
                                 for it.
  --into PATH                    A new folder for the games [default: one
                                 among the temporary files].
  --open                         Then show the games in the browser.
  --sandbox NAME                 auto, docker, bubblewrap or process [default:
                                 as in league.yaml, otherwise auto].
  --trust-bots                   Run unvetted bots without isolation, as your
                                 own user. No salt is mixed into a seed.
  --packages                     Have pip fetch the Python packages that bots
                                 ask for.
  --json                         Print data as JSON.
  -h, --help                     Show this message and exit.
""",
    "coach": """\
Usage: arena coach [OPTIONS] BOT

  Say which leaks BOT has, which change mends each, and which decisions cost
  it most.

  With --league BOT is a name, and its stored games are judged. Otherwise it
  is a folder, an archive or sample:NAME, and first plays a quick table.

Options:
  --league PATH          Judge the stored games of a league.
  --store PATH           File that the games are stored in, with
                         NAME.logs.sqlite beside it [default: the name of
                         LEAGUE with the ending .sqlite].
  --against BOT          A bot to play a quick table with: a folder, an
                         archive, a pattern or sample:NAME; repeat it for more
                         players [default: sample:odds].
  --games INTEGER RANGE  Games of a quick table, in each order of seats
                         [default: 50].  [1<=x<=100000]
  --variant TEXT         The rule book of a quick table [default: bga].
  --calza                Play a quick table with calza.
  --seed TEXT            Repeats the dice of a quick table; own bots need
                         --trust-bots for it.
  --into PATH            A new folder for the quick table [default: one among
                         the temporary files].
  --sandbox NAME         auto, docker, bubblewrap or process [default: as in
                         league.yaml, otherwise auto].
  --trust-bots           Run unvetted bots without isolation, as your own
                         user. No salt is mixed into a seed.
  --packages             Have pip fetch the Python packages that bots ask for.
  --decisions PATH       Also write every decision to this new file, a JSON
                         object per line.
  --site PATH            Also write the league's report with all games to this
                         folder, and a page of this.
  --json                 Print data as JSON.
  -h, --help             Show this message and exit.
""",
    "puzzle": """\
Usage: arena puzzle [OPTIONS] BOT

  Show the worst turns of BOT, one after another: what would you do? Then what
  choices cost.

  Type your answers as at a table (`arena play --me`); q stops. With --league
  BOT is a name, and its stored games are judged; otherwise it first plays a
  quick table. At the end of the input the rest is shown without questions.

Options:
  --league PATH          Judge the stored games of a league.
  --store PATH           File that the games are stored in, with
                         NAME.logs.sqlite beside it [default: the name of
                         LEAGUE with the ending .sqlite].
  --against BOT          A bot to play a quick table with: a folder, an
                         archive, a pattern or sample:NAME; repeat it for more
                         players [default: sample:odds].
  --games INTEGER RANGE  Games of a quick table, in each order of seats
                         [default: 50].  [1<=x<=100000]
  --variant TEXT         The rule book of a quick table [default: bga].
  --calza                Play a quick table with calza.
  --seed TEXT            Repeats the dice of a quick table; own bots need
                         --trust-bots for it.
  --into PATH            A new folder for the quick table [default: one among
                         the temporary files].
  --sandbox NAME         auto, docker, bubblewrap or process [default: as in
                         league.yaml, otherwise auto].
  --trust-bots           Run unvetted bots without isolation, as your own
                         user. No salt is mixed into a seed.
  --packages             Have pip fetch the Python packages that bots ask for.
  --json                 Print data as JSON.
  -h, --help             Show this message and exit.
""",
    "compare": """\
Usage: arena compare [OPTIONS] OLD NEW

  Let two versions of a bot, OLD and NEW, play the same field on the same
  dice, and compare.

Options:
  --against BOT            An opponent of both: a folder, an archive, a
                           pattern or sample:NAME; repeat it for more
                           [default: the sample bots that run here].
  --blocks INTEGER RANGE   How often each version meets the field.  [default:
                           20; 2<=x<=10000]
  --until CONFIDENCE       Stop as soon as one version is better at this
                           confidence, such as 0.95, or neither is by
                           --points; --blocks is then the most.
                           [0.5<=x<=0.9999]
  --test [ratio|planned]   How --until decides: by a sequential probability
                           ratio test, or by planned looks, whose intervals
                           hold at once.  [default: ratio]
  --points FLOAT RANGE     The difference in rivals beaten that the ratio test
                           looks for, in percentage points.  [default: 5.0;
                           0.5<=x<=50]
  --games INTEGER RANGE    Games at each table.  [default: 10; 1<=x<=100000]
  --players INTEGER RANGE  Players at a table; repeat it for more.  [default:
                           2; 2<=x<=6]
  --variant NAME           A rule book; repeat it for more.  [default: bga]
  --calza                  Play with calza.
  --seed TEXT              Plays the same games again, if it is one that was
                           printed [default: random].
  --models LEAGUE          Let bots ask the language models of this
                           league.yaml.
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --sandbox NAME           auto, docker, bubblewrap or process [default: as in
                           league.yaml, otherwise auto].
  --trust-bots             Run unvetted bots without isolation, as your own
                           user. No salt is mixed into a seed.
  --packages               Have pip fetch the Python packages that bots ask
                           for.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "alike": """\
Usage: arena alike [OPTIONS] BOT... | FOLDER

  Show which bots are alike, the most unusual pair first.

  A BOT is a folder, an archive or sample:NAME; a FOLDER has many of them.
  Bots are compared by their source, whatever names it uses and in whatever
  order it stands, and by what they decide in the same positions, whatever
  language they are written in. Code that came with the arena is ignored.

Options:
  --positions INTEGER RANGE  Positions in which each bot is asked; 0 compares
                             the source alone.  [default: 2000; 0<=x<=100000]
  --seed TEXT                Seed for sampling the positions; reuse one to
                             repeat them. By default a new, secret one.
  --variant NAME             The rule book, or the file of a house's rules.
                             [default: bga]
  --common FOLDER            Starter code to ignore. Repeat it for more
                             folders.
  --page FILE                Also write a page with the source of both side by
                             side.
  --workers INTEGER RANGE    Worker processes [default: cores].  [1<=x<=1024]
  --sandbox NAME             auto, docker, bubblewrap or process [default: as
                             in league.yaml, otherwise auto].
  --trust-bots               Run unvetted bots without isolation, as your own
                             user. No salt is mixed into a seed.
  --packages                 Have pip fetch the Python packages that bots ask
                             for.
  --json                     Print data as JSON.
  -h, --help                 Show this message and exit.
""",
    "rerun": """\
Usage: arena rerun [OPTIONS] LEAGUE FIXTURE [GAME]

  Play FIXTURE of LEAGUE again with the current bots, on the same dice and in
  the same seats.

  FIXTURE is its number in the schedule, from 0, as in the report. With GAME,
  from 0, the conversation of that game is printed. The exit code is 1 if any
  game differs from the stored one. Nothing is stored.

  With --as, another build of a bot is asked what its seat was asked, whatever
  it answers: each request is that of the stored game. The exit code is 1 if
  it faults or decides differently.

  What bots ask language models is answered from the record.

Options:
  --as BOT              Instead, ask BOT (a folder, an archive, sample:NAME)
                        what was asked then, in the sandbox of arena check,
                        and show what it decides differently.
  --seat INTEGER RANGE  The seat to take [default: that of the bot with the
                        same name].  [0<=x<=5]
  --differing           With --as: only what it decides differently.
  --record FILE         Write the lines of the seat to a new FILE, with the
                        answers, for the bot's own tests.
  --ask-models          Ask language models what is not in the record; first,
                        say how much that is.
  --store PATH          File that the games are stored in, with
                        NAME.logs.sqlite beside it [default: the name of
                        LEAGUE with the ending .sqlite].
  --sandbox NAME        auto, docker, bubblewrap or process [default: as in
                        league.yaml, otherwise auto].
  --trust-bots          Run unvetted bots without isolation, as your own user.
                        No salt is mixed into a seed.
  --packages            Have pip fetch the Python packages that bots ask for.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "debug": """\
Usage: arena debug [OPTIONS] LEAGUE|FILE [FIXTURE] [GAME]

  Ask a bot what its seat was asked in GAME of FIXTURE of LEAGUE, without time
  limits.

  Or ask it what a FILE of arena check or arena rerun --record has, up to its
  last request.

  Stops before each request of a game, and before the last one of a file, if
  it runs at a terminal. Shows what the bot writes to standard error and how
  to attach a debugger. In the process sandbox, breakpoint() of a bot in
  Python opens a debugger in the terminal. The exit code is 1 if the bot
  faults or decides differently.

Options:
  --as BOT              The bot to debug: a folder, an archive, sample:NAME.
                        [required]
  --seat INTEGER RANGE  The seat to take [default: that of the bot with the
                        same name].  [0<=x<=5]
  --record FILE         Write the lines of the seat to a new FILE, with the
                        answers, for the bot's own tests.
  --store PATH          File that the games are stored in, with
                        NAME.logs.sqlite beside it [default: the name of
                        LEAGUE with the ending .sqlite].
  --sandbox NAME        auto, docker, bubblewrap or process [default: as in
                        league.yaml, otherwise auto].
  --trust-bots          Run unvetted bots without isolation, as your own user.
                        No salt is mixed into a seed.
  --packages            Have pip fetch the Python packages that bots ask for.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "submit": """\
Usage: arena submit [OPTIONS] BOT

  Submit BOT (a folder with a bot.yaml, an archive, sample:NAME) as a new
  version to a ladder.

  Once it says `received`, the submission is on the disk and will be checked,
  whatever happens to the ladder. The same files again are the same version.
  The exit code is 1 if it is refused.

  The web door of a ladder (https://...) asks for a token, in ARENA_TOKEN or
  in the file ~/.config/arena/token with mode 0600: its page `Account` makes
  one.

Options:
  --to TEXT      Folder of a ladder on this machine, or https://...
                 [required]
  --author TEXT  Who submits it [default: your name on this machine].
  --note TEXT    A line of yours on this version.
  --no-wait      Do not wait for its check.
  --json         Print data as JSON.
  -h, --help     Show this message and exit.
""",
    "run": """\
Usage: arena run [OPTIONS] LEAGUE

  Play LEAGUE (a league.yaml) to its end and write its report.

  Each fixture is stored as soon as it is played. Ctrl-C finishes and saves
  the fixtures being played; run the same command again to continue.

Options:
  --store PATH             File that the games are stored in, with
                           NAME.logs.sqlite beside it [default: the name of
                           LEAGUE with the ending .sqlite].
  --site PATH              Folder that the report is written to.  [default:
                           site]
  --replays all|none|N     Games to watch: all, none, or those with faults,
                           upsets and each bot's newest N.  [default: 50]
  --sandbox NAME           auto, docker, bubblewrap or process [default: as in
                           league.yaml, otherwise auto].
  --trust-bots             Run unvetted bots without isolation, as your own
                           user. No salt is mixed into a seed.
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --cluster ADDRESS        Play on the workers of a Dask scheduler
                           (tls://HOST:PORT or tcp://HOST:PORT), or on N
                           workers started here for this run (local:N).
  --mixed-sandboxes        Let each worker of a cluster take the strongest
                           sandbox that works there.
  --skip-missing-runtimes  Leave out bots whose interpreter or compiler is not
                           on this machine, and sample bots that do not start.
  --accept-changes         Continue if LEAGUE or its bots changed; games that
                           no longer count stay stored.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "status": """\
Usage: arena status [OPTIONS] LEAGUE

  Show how much of LEAGUE is stored, how fast it is played, its faults and
  what comes next.

  Also works while `arena run` is playing it.

Options:
  --store PATH  File that the games are stored in, with NAME.logs.sqlite
                beside it [default: the name of LEAGUE with the ending
                .sqlite].
  --json        Print data as JSON.
  -h, --help    Show this message and exit.
""",
    "report": """\
Usage: arena report [OPTIONS] LEAGUE

  Write the report of LEAGUE from its stored games, finished or not.

  What did not change since the last report is left alone. Summaries of the
  games are cached beside the store; they may be deleted.

Options:
  --store PATH          File that the games are stored in, with
                        NAME.logs.sqlite beside it [default: the name of
                        LEAGUE with the ending .sqlite].
  --site PATH           Folder that the report is written to.  [default: site]
  --replays all|none|N  Games to watch: all, none, or those with faults,
                        upsets and each bot's newest N.  [default: 50]
  --open                Show the report in the browser.
  --watch               Update it while the league is played, until it is
                        finished or Ctrl-C.
  --anonymous           Replace the names of bots and authors with pseudonyms,
                        the same in every report of the league.
  --anonymous-key FILE  Write who is who to this file (CSV); the report is
                        anonymous.
  --url TEXT            Where the site will be published (https://...): its
                        pages then have absolute links and a picture for sites
                        that link to them.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "card": """\
Usage: arena card [OPTIONS] LEAGUE BOT

  Write the rank of BOT in LEAGUE as a picture (SVG), for a README or a
  profile.

  The report is written as by `arena report`: the picture is one of its files,
  with the rank of the newest version. On a ladder it is at /site/cards/ of
  the door.

Options:
  --store PATH     File that the games are stored in, with NAME.logs.sqlite
                   beside it [default: the name of LEAGUE with the ending
                   .sqlite].
  --site PATH      Folder that the report is written to.  [default: site]
  -o, --into FILE  The file to write [default: the name of the bot with the
                   ending .svg].
  --json           Print data as JSON.
  -h, --help       Show this message and exit.
""",
    "final": """\
Usage: arena final [OPTIONS] LEAGUE

  Play a final of the best bots of LEAGUE: a league.yaml, or the folder of a
  ladder.

  Matches are won by --wins games. Ratings know nothing of them. Each game is
  stored before it is told: the same command goes on after a stop, and tells
  the last game again.

Options:
  --bots INTEGER RANGE  How many of the best take part [default: 8, or 6 with
                        --table].  [2<=x<=64]
  --table               All sit at one table, instead of a knock-out.
  --wins INTEGER RANGE  Games that win a match [default: 2].  [1<=x<=50]
  --seed TEXT           Decides the draw and the dice [default: drawn].
  --pace FLOAT RANGE    Seconds between lines; 0 prints all at once.
                        [default: 1.0; 0<=x<=60]
  --into PATH           Folder for the pages: one for the wall of the room,
                        and the winner's.
  --store PATH          File that the games are stored in, with
                        NAME.logs.sqlite beside it [default: the name of
                        LEAGUE with the ending .sqlite].
  --site PATH           Folder that the report is written to.  [default: site]
  --sandbox NAME        auto, docker, bubblewrap or process [default: as in
                        league.yaml, otherwise auto].
  --trust-bots          Run unvetted bots without isolation, as your own user.
                        No salt is mixed into a seed.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "animate": """\
Usage: arena animate [OPTIONS] LEAGUE FIXTURE GAME

  Write a game of LEAGUE as an animated picture (GIF), to share it.

  FIXTURE and GAME are counted from 0, as in the address of a replay.

Options:
  --store PATH     File that the games are stored in, with NAME.logs.sqlite
                   beside it [default: the name of LEAGUE with the ending
                   .sqlite].
  --last N         Show the last N rounds alone.  [1<=x<=1000000000]
  -o, --into FILE  The file to write [default: game-FIXTURE-GAME.gif].
  --json           Print data as JSON.
  -h, --help       Show this message and exit.
""",
    "export": """\
Usage: arena export [OPTIONS] LEAGUE

  Write the stored games of LEAGUE as a table, in schedule order, even while
  it is played.

Options:
  --store PATH                    File that the games are stored in, with
                                  NAME.logs.sqlite beside it [default: the
                                  name of LEAGUE with the ending .sqlite].
  --format [csv|jsonl|parquet]    What to write; parquet needs the extra of
                                  that name.  [default: csv]
  --rows [games|pairs|decisions|models|chats]
                                  What a row is: a game, a pair of bots and
                                  who is better, a decision, a request to a
                                  language model with its answer, or (JSON
                                  lines alone) a conversation for fine-tuning;
                                  the last two may be private.  [default:
                                  games]
  --json                          The same as --format jsonl.
  --anonymous                     Replace the names of bots with pseudonyms,
                                  those of `arena report --anonymous`.
  -o, --into FILE                 The file to write [default: standard
                                  output].
  -h, --help                      Show this message and exit.
""",
    "verify": """\
Usage: arena verify [OPTIONS] LEAGUE

  Check that no stored bit of LEAGUE has changed and that every game replays
  the same.

  Rates the games again with the trueskill package. Prints the root: one hash
  over the conditions and all games. The exit code is 1 if anything differs.

Options:
  --store PATH             File that the games are stored in, with
                           NAME.logs.sqlite beside it [default: the name of
                           LEAGUE with the ending .sqlite].
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --root HASH              The root that was published with the results.
  --site PATH              Folder of a report, whose leaderboards are compared
                           with the games.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "backup": """\
Usage: arena backup [OPTIONS] LEAGUE FILE

  Copy the games of LEAGUE to FILE, and their logs beside it, even while it is
  played.

  The copy is a store: name it to other commands with --store FILE.

Options:
  --store PATH  File that the games are stored in, with NAME.logs.sqlite
                beside it [default: the name of LEAGUE with the ending
                .sqlite].
  --json        Print data as JSON.
  -h, --help    Show this message and exit.
""",
    "mend": """\
Usage: arena mend [OPTIONS] LEAGUE

  Drop the damaged fixtures of LEAGUE; `arena run` plays them again.

  Does the same for fixtures that are gone. The damaged store is kept beside
  the mended one.

Options:
  --store PATH  File that the games are stored in, with NAME.logs.sqlite
                beside it [default: the name of LEAGUE with the ending
                .sqlite].
  --json        Print data as JSON.
  -h, --help    Show this message and exit.
""",
    "prune": """\
Usage: arena prune [OPTIONS] LEAGUE

  Replace the logs of the oldest fixtures of LEAGUE by their hashes until SIZE
  is enough.

  Results and ratings stay, and arena verify proves the rows; games without
  logs can no longer be replayed. Standard error is kept of fixtures with
  faults and of each bot's newest games only.

Options:
  --logs SIZE   How much the logs may take, standard error included: 500MiB,
                5GiB.  [required]
  --dry-run     Only say what would be pruned.
  --store PATH  File that the games are stored in, with NAME.logs.sqlite
                beside it [default: the name of LEAGUE with the ending
                .sqlite].
  --json        Print data as JSON.
  -h, --help    Show this message and exit.
""",
    "ladder": """\
Usage: arena ladder [OPTIONS] COMMAND [ARGS]...

  Run a ladder: a league that never ends, for bots that arrive while it is
  played.

Options:
  -h, --help  Show this message and exit.

Commands:
  init     Make the folder LADDER, with a ladder.yaml to edit before the first
           season.
  run      Run LADDER until Ctrl-C or SIGTERM: what is being played is
           finished and stored first.
  status   Say how LADDER is, in two lines; the exit code is 1 if anything is
           overdue.
  check    Say whether LADDER would take its ladder.yaml if it were started
           again now.
  list     List the versions of LADDER with their states, since when and why.
  log      Print the log of LADDER, or of one VERSION of it (name@3), line by
           line.
  invite   Let authors submit bots to LADDER, and print a link to its web door
           for each NAME.
  revoke   Make all links, sessions and tokens of the author NAME of LADDER
           invalid, at once.
  approve  Let VERSION (name@3) of LADDER play: it passed its check.
  rest     Let VERSION (name@3) of LADDER pause until it is resumed.
  resume   Let a resting VERSION of LADDER play again.
  strike   Remove VERSION of LADDER; its games no longer count.
  recheck  Check VERSION of LADDER again.
  quota    Let AUTHOR make UPLOADS submissions to LADDER in 24 hours, whatever
           ladder.yaml says.
  season   Close the season that is open.
  backup   Copy LADDER to the new folder TARGET, even while it runs.
  restore  Make the new folder TARGET a ladder again, from the backup SOURCE.
""",
    "ladder init": """\
Usage: arena ladder init [OPTIONS] LADDER

  Make the folder LADDER, with a ladder.yaml to edit before the first season.

Options:
  --sandbox NAME  auto, docker, bubblewrap or process [default: as in
                  league.yaml, otherwise auto].
  --trust-bots    Run bots without isolation, as your own user.
  --json          Print data as JSON.
  -h, --help      Show this message and exit.
""",
    "ladder run": """\
Usage: arena ladder run [OPTIONS] LADDER

  Run LADDER until Ctrl-C or SIGTERM: what is being played is finished and
  stored first.

Options:
  --serve               Open its web door, too; whichever ends, ends both.
  --host TEXT           Address to listen at.  [default: 127.0.0.1]
  --port INTEGER RANGE  Port to listen at; 0 is any that is free.  [default:
                        8500; 0<=x<=65535]
  --url TEXT            Where browsers reach it, if that is elsewhere; it may
                        end with a path.
  --behind-proxy        A proxy speaks HTTPS and is the only client.
  --certificate PATH    File of a certificate, to speak HTTPS.
  --key PATH            File of its key.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "ladder status": """\
Usage: arena ladder status [OPTIONS] LADDER

  Say how LADDER is, in two lines; the exit code is 1 if anything is overdue.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder check": """\
Usage: arena ladder check [OPTIONS] LADDER

  Say whether LADDER would take its ladder.yaml if it were started again now.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder list": """\
Usage: arena ladder list [OPTIONS] LADDER

  List the versions of LADDER with their states, since when and why.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder log": """\
Usage: arena ladder log [OPTIONS] LADDER [VERSION]

  Print the log of LADDER, or of one VERSION of it (name@3), line by line.

  The exit code is 1 if a line is not as it was written. With --follow, --json
  prints each line by itself.

Options:
  --since TEXT   Only later lines: 90m, 2h, 3d ago, or a time of UTC as
                 2026-11-23T09:14:02Z.
  --author TEXT  Only what an author did, or what was done to them.
  --follow       Go on with what comes, until Ctrl-C.
  --json         Print data as JSON.
  -h, --help     Show this message and exit.
""",
    "ladder invite": """\
Usage: arena ladder invite [OPTIONS] LADDER NAME...

  Let authors submit bots to LADDER, and print a link to its web door for each
  NAME.

  A link is valid for 14 days and for one browser. Whoever is invited again
  gets another one, and those before are not valid any more.

Options:
  --roster PATH  CSV file with their names in the column id.
  --admin        Let them administrate, for 12 hours.
  --url TEXT     Where browsers reach the door [default: where it was opened
                 last].
  --json         Print data as JSON.
  -h, --help     Show this message and exit.
""",
    "ladder revoke": """\
Usage: arena ladder revoke [OPTIONS] LADDER NAME

  Make all links, sessions and tokens of the author NAME of LADDER invalid, at
  once.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder approve": """\
Usage: arena ladder approve [OPTIONS] LADDER VERSION

  Let VERSION (name@3) of LADDER play: it passed its check.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder rest": """\
Usage: arena ladder rest [OPTIONS] LADDER VERSION

  Let VERSION (name@3) of LADDER pause until it is resumed.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder resume": """\
Usage: arena ladder resume [OPTIONS] LADDER VERSION

  Let a resting VERSION of LADDER play again.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder strike": """\
Usage: arena ladder strike [OPTIONS] LADDER VERSION

  Remove VERSION of LADDER; its games no longer count.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder recheck": """\
Usage: arena ladder recheck [OPTIONS] LADDER VERSION

  Check VERSION of LADDER again.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder quota": """\
Usage: arena ladder quota [OPTIONS] LADDER AUTHOR UPLOADS

  Let AUTHOR make UPLOADS submissions to LADDER in 24 hours, whatever
  ladder.yaml says.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder season": """\
Usage: arena ladder season [OPTIONS] COMMAND [ARGS]...

  Close the season that is open.

Options:
  -h, --help  Show this message and exit.

Commands:
  close  Close the season of LADDER: its seed and root are published, and the
         next one begins.
""",
    "ladder season close": """\
Usage: arena ladder season close [OPTIONS] LADDER

  Close the season of LADDER: its seed and root are published, and the next
  one begins.

Options:
  --why TEXT  The reason, for the log.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder backup": """\
Usage: arena ladder backup [OPTIONS] LADDER TARGET

  Copy LADDER to the new folder TARGET, even while it runs. The copy holds its
  secrets.

Options:
  --verify    Read the copy again; the web door shows when that was.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "ladder restore": """\
Usage: arena ladder restore [OPTIONS] SOURCE TARGET

  Make the new folder TARGET a ladder again, from the backup SOURCE.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "serve": """\
Usage: arena serve [OPTIONS] LADDER

  Open the web door of LADDER until Ctrl-C: upload bots, follow them,
  administrate.

  The ladder need not run: what is received is checked when it does.

Options:
  --host TEXT           Address to listen at.  [default: 127.0.0.1]
  --port INTEGER RANGE  Port to listen at; 0 is any that is free.  [default:
                        8500; 0<=x<=65535]
  --url TEXT            Where browsers reach it, if that is elsewhere; it may
                        end with a path.
  --behind-proxy        A proxy speaks HTTPS and is the only client.
  --certificate PATH    File of a certificate, to speak HTTPS.
  --key PATH            File of its key.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "demo": """\
Usage: arena demo [OPTIONS] [LADDER]

  Run a ladder with sample bots and its web door until Ctrl-C, and print your
  link to it.

  LADDER is a new folder, or that of an earlier demo, which goes on [default:
  perudo-demo].

Options:
  --port INTEGER RANGE  Port of the web door.  [default: 8500; 1<=x<=65535]
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "class": """\
Usage: arena class [OPTIONS] LADDER

  Open LADDER to a class in this room until Ctrl-C, and print the way in, big,
  for the wall.

  LADDER is a new folder, or that of an earlier hour, which goes on. Who is on
  the roster joins once, by that name and the code; bots are called ANN/BOT.

Options:
  --roster FILE            CSV file with the names of the class in the column
                           id.  [required]
  --minutes INTEGER RANGE  How long the class goes on.  [1<=x<=10000]
  --host TEXT              Address of this machine in the room [default: found
                           out].
  --port INTEGER RANGE     Port.  [default: 8500; 0<=x<=65535]
  --plain-http             Without HTTPS, on a private network whose users you
                           trust: they can read all of it.
  --certificate PATH       File of a certificate, to speak HTTPS.
  --key PATH               File of its key.
  --sandbox NAME           auto, docker, bubblewrap or process [default: as in
                           league.yaml, otherwise auto].
  --trust-bots             Run bots without isolation, as your own user.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "course": """\
Usage: arena course [OPTIONS] COMMAND [ARGS]...

  Mark the hand-ins of a course: by a deadline, against baselines, with a
  stated error.

Options:
  -h, --help  Show this message and exit.

Commands:
  init        Make the folder COURSE with a pack of sheets and slides to hand
              out.
  handouts    Make HTML of the Markdown in the pack of COURSE: slides of files
              with rules, else sheets.
  try         Check BOT as a course does, and say about how many points it
              would get.
  check       Say in seconds whose hand-ins COURSE has, what is late, and how
              long grading takes.
  grade       Check and play what was handed in to COURSE, and write marks.csv
              and the pages.
  verify      Replay the games of COURSE and derive marks.csv from them; exit
              code 1 if it differs.
  feedback    Give students of COURSE their pages: behind its door, or in a
              folder to be published.
  marks       Write the marks of COURSE into one column of an export of
              Moodle, Canvas or another LMS.
  gradescope  Write an autograder for Gradescope, and results.json for each
              student who was graded.
  forget      Remove what COURSE keeps about the student ID: hand-ins, mark,
              page, line of the roster.
""",
    "course init": """\
Usage: arena course init [OPTIONS] COURSE

  Make the folder COURSE with a pack of sheets and slides to hand out.

  It is a worked example that runs, with 30 made-up students and their bots,
  or one's own: for four weeks, whose deadlines are a week apart. At a
  terminal it asks for what is missing.

Options:
  --roster PATH    Make a course of your own, with these students.
  --deadline TEXT  That of its first week, such as '2026-11-20 23:59
                   Europe/Berlin'.
  --json           Print data as JSON.
  -h, --help       Show this message and exit.
""",
    "course handouts": """\
Usage: arena course handouts [OPTIONS] COURSE

  Make HTML of the Markdown in the pack of COURSE: slides of files with rules,
  else sheets.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "course try": """\
Usage: arena course try [OPTIONS] BOT

  Check BOT as a course does, and say about how many points it would get.

  Exit code 1 if its check finds a fault.

Options:
  --course PATH            The course.yaml of the teacher, or the part of it
                           that was given out: `marks`, `reference`,
                           `variant`, `limits`.  [default: the worked example]
  --week WEEK              In a course of weeks, which: its number or name.
  --games INTEGER RANGE    Against each baseline, in blocks of 80.  [default:
                           160; 1<=x<=100000]
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --sandbox NAME           auto, docker, bubblewrap or process [default: as in
                           league.yaml, otherwise auto].
  --trust-bots             Run unvetted bots without isolation, as your own
                           user. No salt is mixed into a seed.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "course check": """\
Usage: arena course check [OPTIONS] COURSE

  Say in seconds whose hand-ins COURSE has, what is late, and how long grading
  takes.

  No hand-in is run. Exit code 1 if marks would be lost: `arena course grade`
  stops there.

Options:
  --week WEEK              In a course of weeks, which: its number or name.
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --sandbox NAME           auto, docker, bubblewrap or process [default: as in
                           league.yaml, otherwise auto].
  --trust-bots             Run unvetted bots without isolation, as your own
                           user. No salt is mixed into a seed.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "course grade": """\
Usage: arena course grade [OPTIONS] COURSE

  Check and play what was handed in to COURSE, and write marks.csv and the
  pages.

  Ctrl-C stops it after what is being played; called again it goes on. Called
  when all is graded, it takes in what changed, and prints every mark that
  moved, and why.

Options:
  --week WEEK              In a course of weeks, which: its number or name.
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --sandbox NAME           auto, docker, bubblewrap or process [default: as in
                           league.yaml, otherwise auto].
  --trust-bots             Run unvetted bots without isolation, as your own
                           user. No salt is mixed into a seed.
  --accept-changes         Go on though what decides games or points changed.
  --ignore-unknown         Go on though hand-ins or lines of the list of times
                           belong to nobody.
  --precision POINTS       A first look: half of a mark's interval, instead of
                           that in course.yaml.  [0.01<=x<=100000]
  --within TIME            A first look that is as precise as this time
                           allows, as in 10m or 90s.
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "course verify": """\
Usage: arena course verify [OPTIONS] COURSE

  Replay the games of COURSE and derive marks.csv from them; exit code 1 if it
  differs.

Options:
  --week WEEK              In a course of weeks, which: its number or name.
  --workers INTEGER RANGE  Worker processes [default: cores].  [1<=x<=1024]
  --json                   Print data as JSON.
  -h, --help               Show this message and exit.
""",
    "course feedback": """\
Usage: arena course feedback [OPTIONS] COURSE

  Give students of COURSE their pages: behind its door, or in a folder to be
  published.

  The folder also gets the league's site under pseudonyms. Nothing else of the
  course is given.

Options:
  --into PATH   A folder to be published, outside the course.
  --week WEEK   In a course of weeks, which: its number or name.
  --first-look  Go on though the marks are a first look.
  --json        Print data as JSON.
  -h, --help    Show this message and exit.
""",
    "course marks": """\
Usage: arena course marks [OPTIONS] COURSE

  Write the marks of COURSE into one column of an export of Moodle, Canvas or
  another LMS.

  All other bytes of the file stay as they are, and so do lines of people who
  have no mark. Exit code 1 if the file lacks a mark afterwards. In a course
  of weeks, marks are the final ones without --week.

Options:
  --into PATH             The school's CSV file.  [required]
  --id TEXT               Its column with ids, e-mail addresses or accounts.
                          [required]
  --grade TEXT            The column to fill in.  [required]
  --what [points|grades]  Points, or grades by the key in course.yaml.
                          [default: points]
  --week WEEK             In a course of weeks, which: its number or name.
  --first-look            Go on though the marks are a first look.
  --json                  Print data as JSON.
  -h, --help              Show this message and exit.
""",
    "course gradescope": """\
Usage: arena course gradescope [OPTIONS] COURSE

  Write an autograder for Gradescope, and results.json for each student who
  was graded.

  The autograder is a smoke test of one hand-in: it gives the points for legal
  play. Written after a grading, it gives the marks instead.

Options:
  --into PATH   A new folder.  [required]
  --week WEEK   In a course of weeks, which: its number or name.
  --first-look  Go on though the marks are a first look.
  --json        Print data as JSON.
  -h, --help    Show this message and exit.
""",
    "course forget": """\
Usage: arena course forget [OPTIONS] COURSE ID

  Remove what COURSE keeps about the student ID: hand-ins, mark, page, line of
  the roster.

  The games stay: the marks of others follow from them. They name nobody.

Options:
  --yes       Do it: without, it says what would be removed.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "exploit": """\
Usage: arena exploit [OPTIONS] BOT

  Say how much a best response wins against BOT in the end games for two.

  BOT (a folder, an archive, sample:NAME) is asked in every position that its
  own play reaches, and taken to play each like that for good. What a rival
  then wins more than against an equilibrium is between LOW and HIGH, but for
  chance; more --asks bring them together.

Options:
  --variant NAME        The rule book, or the file of a house's rules.
                        [default: bga]
  --dice INTEGER RANGE  The most dice on the table.  [default: 2; 2<=x<=4]
  --asks INTEGER RANGE  How often the bot is asked in each position, with each
                        hand.  [default: 100; 2<=x<=10000]
  --seed TEXT           Keys the bot's own chance.
  --sandbox NAME        auto, docker, bubblewrap or process [default: as in
                        league.yaml, otherwise auto].
  --trust-bots          Run unvetted bots without isolation, as your own user.
                        No salt is mixed into a seed.
  --packages            Have pip fetch the Python packages that bots ask for.
  --json                Print data as JSON.
  -h, --help            Show this message and exit.
""",
    "rules": """\
Usage: arena rules [OPTIONS] [VARIANT]

  Print the rules by clause: of the four rule books, of VARIANT, or the
  differences of two.

  VARIANT, A and B are rule books or files of a house's rules. With --diff,
  the switch behind each difference is named.

Options:
  --diff A B  Print only differences between the rules A and B.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "judge": """\
Usage: arena judge [OPTIONS] [FILE]

  Judge positions: one JSON object per line in FILE or on stdin, one verdict
  per line out.

  A verdict is open, resolved or illegal, and names the clauses behind it. An
  impossible position is refused (exit code 1), and so is a line that is not a
  position (exit code 2).

Options:
  --json        Accepted for consistency: verdicts are always JSON.
  --rules FILE  The file of a house's rules, which positions may name as their
                variant; repeat it.
  -h, --help    Show this message and exit.
""",
    "perft": """\
Usage: arena perft [OPTIONS] VARIANT

  Count all non-empty bid sequences of a round of VARIANT from its opening.

  Calza is off, and quantities go up to the players x starting dice on the
  table. The count checks move generators against each other: what may be bid,
  whether or not a game gets there.

Options:
  --players INTEGER RANGE        Players at the table.  [2<=x<=6; required]
  --starting-dice INTEGER RANGE  Dice of each player.  [1<=x<=10; required]
  --round [normal|palifico]      Which round to count; a palifico round is the
                                 first of its game.  [default: normal]
  --json                         Print data as JSON.
  -h, --help                     Show this message and exit.
""",
    "doctor": """\
Usage: arena doctor [OPTIONS]

  Run probes in every sandbox and print what each guarantees on this machine.

  The exit code is 0 if the sandbox that `auto` takes is safe for untrusted
  bots, otherwise 1.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "images": """\
Usage: arena images [OPTIONS] [COMMAND] [ARGS]...

  List or build the images of the docker sandbox, one for each runtime.

Options:
  --json      Print data as JSON.
  -h, --help  Show this message and exit.

Commands:
  build  Build the images of RUNTIMEs [default: python, node, c and any].
""",
    "images build": """\
Usage: arena images build [OPTIONS] [RUNTIME|LANGUAGE...]

  Build the images of RUNTIMEs [default: python, node, c and any].

  `arena images` lists them all. LANGUAGEs are put into the image of `any`:
  see `arena help languages`.

Options:
  --from-host  Build from this machine's Debian or Ubuntu packages
               (debootstrap, as root).
  -h, --help   Show this message and exit.
""",
    "upgrade": """\
Usage: arena upgrade [OPTIONS] FOLDER

  Say whether this version reads the league, ladder or course in FOLDER and
  goes on with it.

  Nothing is written. The exit code is 1 if something is refused. To replay
  the games: `arena verify`.

Options:
  --check     Read all of it, and change nothing.  [required]
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
    "help": """\
Usage: arena help [OPTIONS] [WORD]...

  Say what the manual has on a WORD; without one, list its pages.

  A WORD is a page, a command (`ladder init`), an option, a key of bot.yaml,
  league.yaml, ladder.yaml or course.yaml, a switch of the rules, or a cause
  of faults. Any other is searched.

Options:
  --search    Search the manual for the WORDs.
  --json      Print data as JSON.
  -h, --help  Show this message and exit.
""",
}
"""The help of each command, by its words, at 80 columns."""
OPTIONS: dict[str, dict[str, str]] = {
    "new": {
        "--lang": "python policy model javascript c rust java go shell",
        "--kit": "python policy model javascript c rust java go shell",
        "--list": "",
        "--json": "",
    },
    "check": {
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--all": "",
        "--step": "TEXT",
        "--stderr": "",
        "--transcript": "TEXT",
        "--image": "TEXT",
        "--sandbox-path": "TEXT",
        "--json": "",
    },
    "watch": {
        "--against": "BOT",
        "--games": "TEXT",
        "--variant": "bga classic pressman italian",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "play": {
        "--me": "",
        "--web": "",
        "--port": "TEXT",
        "--games": "TEXT",
        "--variant": "bga classic pressman italian",
        "--calza": "",
        "--lost-dice-visible": "",
        "--starting-dice": "TEXT",
        "--seed": "TEXT",
        "--into": "TEXT",
        "--open": "",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "coach": {
        "--league": "TEXT",
        "--store": "TEXT",
        "--against": "BOT",
        "--games": "TEXT",
        "--variant": "bga classic pressman italian",
        "--calza": "",
        "--seed": "TEXT",
        "--into": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--decisions": "TEXT",
        "--site": "TEXT",
        "--json": "",
    },
    "puzzle": {
        "--league": "TEXT",
        "--store": "TEXT",
        "--against": "BOT",
        "--games": "TEXT",
        "--variant": "bga classic pressman italian",
        "--calza": "",
        "--seed": "TEXT",
        "--into": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "compare": {
        "--against": "BOT",
        "--blocks": "TEXT",
        "--until": "TEXT",
        "--test": "ratio planned",
        "--points": "TEXT",
        "--games": "TEXT",
        "--players": "TEXT",
        "--variant": "bga classic pressman italian",
        "--calza": "",
        "--seed": "TEXT",
        "--models": "TEXT",
        "--workers": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "alike": {
        "--positions": "TEXT",
        "--seed": "TEXT",
        "--variant": "bga classic pressman italian",
        "--common": "TEXT",
        "--page": "TEXT",
        "--workers": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "rerun": {
        "--as": "BOT",
        "--seat": "TEXT",
        "--differing": "",
        "--record": "TEXT",
        "--ask-models": "",
        "--store": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "debug": {
        "--as": "BOT",
        "--seat": "TEXT",
        "--record": "TEXT",
        "--store": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "submit": {"--to": "TEXT", "--author": "TEXT", "--note": "TEXT", "--no-wait": "", "--json": ""},
    "run": {
        "--store": "TEXT",
        "--site": "TEXT",
        "--replays": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--workers": "TEXT",
        "--cluster": "TEXT",
        "--mixed-sandboxes": "",
        "--skip-missing-runtimes": "",
        "--accept-changes": "",
        "--json": "",
    },
    "status": {"--store": "TEXT", "--json": ""},
    "report": {
        "--store": "TEXT",
        "--site": "TEXT",
        "--replays": "TEXT",
        "--open": "",
        "--watch": "",
        "--anonymous": "",
        "--anonymous-key": "TEXT",
        "--url": "TEXT",
        "--json": "",
    },
    "card": {"--store": "TEXT", "--site": "TEXT", "-o": "TEXT", "--into": "TEXT", "--json": ""},
    "final": {
        "--bots": "TEXT",
        "--table": "",
        "--wins": "TEXT",
        "--seed": "TEXT",
        "--pace": "TEXT",
        "--into": "TEXT",
        "--store": "TEXT",
        "--site": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--json": "",
    },
    "animate": {"--store": "TEXT", "--last": "TEXT", "-o": "TEXT", "--into": "TEXT", "--json": ""},
    "export": {
        "--store": "TEXT",
        "--format": "csv jsonl parquet",
        "--rows": "games pairs decisions models chats",
        "--json": "",
        "--anonymous": "",
        "-o": "TEXT",
        "--into": "TEXT",
    },
    "verify": {
        "--store": "TEXT",
        "--workers": "TEXT",
        "--root": "TEXT",
        "--site": "TEXT",
        "--json": "",
    },
    "backup": {"--store": "TEXT", "--json": ""},
    "mend": {"--store": "TEXT", "--json": ""},
    "prune": {"--logs": "TEXT", "--dry-run": "", "--store": "TEXT", "--json": ""},
    "ladder init": {
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--json": "",
    },
    "ladder run": {
        "--serve": "",
        "--host": "TEXT",
        "--port": "TEXT",
        "--url": "TEXT",
        "--behind-proxy": "",
        "--certificate": "TEXT",
        "--key": "TEXT",
        "--json": "",
    },
    "ladder status": {"--json": ""},
    "ladder check": {"--json": ""},
    "ladder list": {"--json": ""},
    "ladder log": {"--since": "TEXT", "--author": "TEXT", "--follow": "", "--json": ""},
    "ladder invite": {"--roster": "TEXT", "--admin": "", "--url": "TEXT", "--json": ""},
    "ladder revoke": {"--json": ""},
    "ladder approve": {"--why": "TEXT", "--json": ""},
    "ladder rest": {"--why": "TEXT", "--json": ""},
    "ladder resume": {"--why": "TEXT", "--json": ""},
    "ladder strike": {"--why": "TEXT", "--json": ""},
    "ladder recheck": {"--why": "TEXT", "--json": ""},
    "ladder quota": {"--why": "TEXT", "--json": ""},
    "ladder season close": {"--why": "TEXT", "--json": ""},
    "ladder backup": {"--verify": "", "--json": ""},
    "ladder restore": {"--json": ""},
    "serve": {
        "--host": "TEXT",
        "--port": "TEXT",
        "--url": "TEXT",
        "--behind-proxy": "",
        "--certificate": "TEXT",
        "--key": "TEXT",
        "--json": "",
    },
    "demo": {"--port": "TEXT", "--json": ""},
    "class": {
        "--roster": "TEXT",
        "--minutes": "TEXT",
        "--host": "TEXT",
        "--port": "TEXT",
        "--plain-http": "",
        "--certificate": "TEXT",
        "--key": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--json": "",
    },
    "course init": {"--roster": "TEXT", "--deadline": "TEXT", "--json": ""},
    "course handouts": {"--json": ""},
    "course try": {
        "--course": "TEXT",
        "--week": "TEXT",
        "--games": "TEXT",
        "--workers": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--json": "",
    },
    "course check": {
        "--week": "TEXT",
        "--workers": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--json": "",
    },
    "course grade": {
        "--week": "TEXT",
        "--workers": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--accept-changes": "",
        "--ignore-unknown": "",
        "--precision": "TEXT",
        "--within": "TEXT",
        "--json": "",
    },
    "course verify": {"--week": "TEXT", "--workers": "TEXT", "--json": ""},
    "course feedback": {"--into": "TEXT", "--week": "TEXT", "--first-look": "", "--json": ""},
    "course marks": {
        "--into": "TEXT",
        "--id": "TEXT",
        "--grade": "TEXT",
        "--what": "points grades",
        "--week": "TEXT",
        "--first-look": "",
        "--json": "",
    },
    "course gradescope": {"--into": "TEXT", "--week": "TEXT", "--first-look": "", "--json": ""},
    "course forget": {"--yes": "", "--json": ""},
    "exploit": {
        "--variant": "bga classic pressman italian",
        "--dice": "TEXT",
        "--asks": "TEXT",
        "--seed": "TEXT",
        "--sandbox": "auto docker bubblewrap process",
        "--trust-bots": "",
        "--packages": "",
        "--json": "",
    },
    "rules": {"--diff": "TEXT", "--json": ""},
    "judge": {"--json": "", "--rules": "TEXT"},
    "perft": {
        "--players": "TEXT",
        "--starting-dice": "TEXT",
        "--round": "normal palifico",
        "--json": "",
    },
    "doctor": {"--json": ""},
    "images build": {"--from-host": ""},
    "upgrade": {"--check": "", "--json": ""},
    "help": {"--search": "", "--json": ""},
}
"""By command, the options and their values: words, BOT, TEXT for others, "" for none."""
ARGUMENTS = {
    "new": "",
    "check": "BOT",
    "watch": "BOT",
    "play": "BOT",
    "coach": "BOT",
    "puzzle": "BOT",
    "compare": "BOT",
    "alike": "BOT",
    "rerun": "",
    "debug": "",
    "submit": "BOT",
    "run": "",
    "status": "",
    "report": "",
    "card": "BOT",
    "final": "",
    "animate": "",
    "export": "",
    "verify": "",
    "backup": "",
    "mend": "",
    "prune": "",
    "ladder init": "",
    "ladder run": "",
    "ladder status": "",
    "ladder check": "",
    "ladder list": "",
    "ladder log": "",
    "ladder invite": "",
    "ladder revoke": "",
    "ladder approve": "",
    "ladder rest": "",
    "ladder resume": "",
    "ladder strike": "",
    "ladder recheck": "",
    "ladder quota": "",
    "ladder season close": "",
    "ladder backup": "",
    "ladder restore": "",
    "serve": "",
    "demo": "",
    "class": "",
    "course init": "",
    "course handouts": "",
    "course try": "BOT",
    "course check": "",
    "course grade": "",
    "course verify": "",
    "course feedback": "",
    "course marks": "",
    "course gradescope": "",
    "course forget": "",
    "exploit": "BOT",
    "rules": "",
    "judge": "",
    "perft": "",
    "doctor": "",
    "images build": "",
    "upgrade": "",
    "help": "WORD",
}
"""By command, what its arguments are."""
WORDS = [
    "accuracy",
    "alike",
    "animate",
    "authors",
    "backup",
    "card",
    "champion",
    "check",
    "class",
    "cluster",
    "coach",
    "commands",
    "compare",
    "course",
    "data",
    "debug",
    "demo",
    "doctor",
    "equilibrium",
    "exploit",
    "export",
    "feedback",
    "final",
    "glossary",
    "help",
    "install",
    "judge",
    "lab",
    "ladder",
    "languages",
    "league",
    "mend",
    "models",
    "new",
    "operators",
    "perft",
    "play",
    "protocol",
    "prune",
    "puzzle",
    "ratings",
    "report",
    "rerun",
    "researchers",
    "rules",
    "run",
    "safety",
    "sandboxes",
    "schedule",
    "security",
    "serve",
    "speed",
    "stability",
    "statistics",
    "status",
    "store",
    "submit",
    "teachers",
    "teaching",
    "upgrade",
    "upgrading",
    "verify",
    "versions",
    "watch",
]
"""Pages and commands that `arena help` shows."""
