require "json"

$stdout.sync = true
$stdin.each_line do |line|
  asked = JSON.parse(line)
  puts '{"type":"ready"}' if asked["type"] == "hello"
  next unless asked["type"] == "turn"

  id, first = asked["id"], asked["raises"][0]
  answer = { id: id, action: "bid", quantity: first["min"], face: first["face"] } unless asked["dudo"]
  puts JSON.generate(answer || { id: id, action: "dudo" })
end
