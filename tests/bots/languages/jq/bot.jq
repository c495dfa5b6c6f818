if .type == "hello" then
  {type: "ready"}
elif .type == "turn" and .dudo then
  {id, action: "dudo"}
elif .type == "turn" then
  {id, action: "bid", quantity: .raises[0].min, face: .raises[0].face}
else
  empty
end
