#!/usr/bin/env escript
main(_) -> play(io:get_line("")).

play(eof) -> ok;
play(Asked) ->
    Line = [C || C <- Asked, C =/= $\s],
    Says = fun(Text) -> string:find(Line, Text) =/= nomatch end,
    Number = fun(Key) -> {match, [N]} = re:run(Line, Key ++ ":(\\d+)", [{capture, all_but_first, list}]), N end,
    case {Says("\"type\":\"hello\""), Says("\"type\":\"turn\""), Says("\"dudo\":true")} of
        {true, _, _} -> io:format("{\"type\":\"ready\"}~n");
        {_, false, _} -> ok;
        {_, _, true} -> io:format("{\"id\":~s,\"action\":\"dudo\"}~n", [Number("\"id\"")]);
        _ ->
            Face = Number("\"raises\":\\[{\"face\""),
            Min = Number("\"raises\":\\[{\"face\":\\d+,\"min\""),
            io:format("{\"id\":~s,\"action\":\"bid\",\"quantity\":~s,\"face\":~s}~n", [Number("\"id\""), Min, Face])
    end,
    play(io:get_line("")).
