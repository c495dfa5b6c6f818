let after key line = Str.search_forward (Str.regexp_string key) line 0
let says key line = try after key line >= 0 with Not_found -> false
let number key line start =
  ignore (Str.search_forward (Str.regexp ("\"" ^ key ^ "\":\\([0-9]+\\)")) line start);
  Str.matched_group 1 line

let () =
  try
    while true do
      let line = Str.global_replace (Str.regexp " ") "" (input_line stdin) in
      if says "\"type\":\"hello\"" line then print_endline "{\"type\":\"ready\"}"
      else if says "\"type\":\"turn\"" line then begin
        let id = number "id" line 0 in
        if says "\"dudo\":true" line then Printf.printf "{\"id\":%s,\"action\":\"dudo\"}\n%!" id
        else
          let raises = after "\"raises\":" line in
          Printf.printf "{\"id\":%s,\"action\":\"bid\",\"quantity\":%s,\"face\":%s}\n%!" id
            (number "min" line raises) (number "face" line raises)
      end
    done
  with End_of_file -> ()
