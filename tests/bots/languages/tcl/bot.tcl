fconfigure stdout -buffering line
while {[gets stdin line] >= 0} {
    set line [string map {" " ""} $line]
    regexp {"id":(\d+)} $line _ id
    if {[string match {*"type":"hello"*} $line]} {
        puts {{"type":"ready"}}
    } elseif {![string match {*"type":"turn"*} $line]} {
        continue
    } elseif {[string match {*"dudo":true*} $line]} {
        puts "{\"id\":$id,\"action\":\"dudo\"}"
    } elseif {[regexp {"raises":\[\{"face":(\d+),"min":(\d+)} $line _ face quantity]} {
        puts "{\"id\":$id,\"action\":\"bid\",\"quantity\":$quantity,\"face\":$face}"
    }
}
