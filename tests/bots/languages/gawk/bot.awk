{
    gsub(" ", "")
}
/"type":"hello"/ {
    print "{\"type\":\"ready\"}"
}
/"type":"turn"/ {
    match($0, /"id":([0-9]+)/, id)
    match($0, /"raises":\[\{"face":([0-9]+),"min":([0-9]+)/, first)
    bid = "\"bid\",\"quantity\":" first[2] ",\"face\":" first[1]
    print "{\"id\":" id[1] ",\"action\":" (/"dudo":true/ ? "\"dudo\"" : bid) "}"
}
{
    fflush()
}
