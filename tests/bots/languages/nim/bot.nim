import strutils

proc number(key, text: string): string =
  let start = text.find("\"" & key & "\":") + key.len + 3
  for letter in text[start .. ^1]:
    if not letter.isDigit: break
    result.add letter

for asked in stdin.lines:
  let line = asked.replace(" ", "")
  let head = "{\"id\":" & number("id", line) & ",\"action\":"
  if "\"type\":\"hello\"" in line: echo "{\"type\":\"ready\"}"
  elif "\"type\":\"turn\"" notin line: continue
  elif "\"dudo\":true" in line: echo head & "\"dudo\"}"
  else:
    let raises = line[line.find("\"raises\":") .. ^1]
    echo head & "\"bid\",\"quantity\":" & number("min", raises) & ",\"face\":" & number("face", raises) & "}"
  stdout.flushFile
