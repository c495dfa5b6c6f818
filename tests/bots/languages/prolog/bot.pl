:- use_module(library(http/json)).
:- initialization(main, main).

main :- read_line_to_string(user_input, Line), ( Line == end_of_file -> true ; play(Line), flush_output, main ).
play(Line) :- atom_json_dict(Line, Asked, []), answer(Asked.type, Asked), !.
play(_).
answer("hello", _) :- format("{\"type\":\"ready\"}~n").
answer("turn", Asked) :- Asked.dudo == true, format("{\"id\":~d,\"action\":\"dudo\"}~n", [Asked.id]).
answer("turn", Asked) :-
    [First|_] = Asked.raises,
    format("{\"id\":~d,\"action\":\"bid\",\"quantity\":~d,\"face\":~d}~n", [Asked.id, First.min, First.face]).
