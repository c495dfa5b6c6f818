io.stdout:setvbuf("line")
for line in io.lines() do
  line = line:gsub(" ", "")
  local id = line:match('"id":(%d+)')
  if line:find('"type":"hello"', 1, true) then
    print('{"type":"ready"}')
  elseif line:find('"type":"turn"', 1, true) and line:find('"dudo":true', 1, true) then
    print(('{"id":%s,"action":"dudo"}'):format(id))
  elseif line:find('"type":"turn"', 1, true) then
    local face, quantity = line:match('"raises":%[{"face":(%d+),"min":(%d+)')
    print(('{"id":%s,"action":"bid","quantity":%s,"face":%s}'):format(id, quantity, face))
  end
end
