for line <- IO.stream(:stdio, :line) do
  line = String.replace(line, " ", "")
  number = fn key, text -> Regex.run(~r/"#{key}":(\d+)/, text) |> List.last() end

  cond do
    line =~ ~s("type":"hello") ->
      IO.puts(~s({"type":"ready"}))

    line =~ ~s("type":"turn") and line =~ ~s("dudo":true) ->
      IO.puts(~s({"id":#{number.("id", line)},"action":"dudo"}))

    line =~ ~s("type":"turn") ->
      [_, raises] = String.split(line, ~s("raises":))
      bid = ~s("quantity":#{number.("min", raises)},"face":#{number.("face", raises)})
      IO.puts(~s({"id":#{number.("id", line)},"action":"bid",#{bid}}))

    true ->
      :ok
  end
end
