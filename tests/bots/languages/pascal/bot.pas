{$H+}
uses sysutils;
var line, raises: string;
function number(key, text: string): string;
var first, last: integer;
begin
  first := pos('"' + key + '":', text) + length(key) + 3;
  last := first;
  while text[last] in ['0'..'9'] do inc(last);
  number := copy(text, first, last - first);
end;
begin
  while not eof do begin
    readln(line);
    line := stringreplace(line, ' ', '', [rfReplaceAll]);
    raises := copy(line, pos('"raises":', line), length(line));
    if pos('"type":"hello"', line) > 0 then writeln('{"type":"ready"}')
    else if pos('"type":"turn"', line) > 0 then
      if pos('"dudo":true', line) > 0 then writeln('{"id":', number('id', line), ',"action":"dudo"}')
      else writeln('{"id":', number('id', line), ',"action":"bid","quantity":',
                   number('min', raises), ',"face":', number('face', raises), '}');
    flush(output);
  end;
end.
