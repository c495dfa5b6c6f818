fun after key text = #2 (Substring.position key text)
fun number key text =
  Substring.string (Substring.takel Char.isDigit (Substring.triml (size key + 3) (after ("\"" ^ key ^ "\":") text)))
fun play line =
  let
    val says = fn text => String.isSubstring text line
    val whole = Substring.full line
    val raises = after "\"raises\":" whole
    val head = fn () => "{\"id\":" ^ number "id" whole ^ ",\"action\":"
  in
    if says "\"type\":\"hello\"" then print "{\"type\":\"ready\"}\n"
    else if not (says "\"type\":\"turn\"") then ()
    else if says "\"dudo\":true" then print (head () ^ "\"dudo\"}\n")
    else print (head () ^ "\"bid\",\"quantity\":" ^ number "min" raises ^ ",\"face\":" ^ number "face" raises ^ "}\n")
  end
fun loop () = case TextIO.inputLine TextIO.stdIn of NONE => () | SOME line => (play (String.translate (fn #" " => "" | c => str c) line); TextIO.flushOut TextIO.stdOut; loop ())
val () = loop ()
