create line 65536 allot
variable kept
: strip ( c-addr u -- c-addr u2 ) 0 kept ! over swap bounds
  ?do i c@ bl <> if dup kept @ + i c@ swap c! 1 kept +! then loop kept @ ;
: .json ( c-addr u -- ) bounds ?do i c@ dup [char] ' = if drop [char] " then emit loop ;
: has ( c-addr u1 pattern u2 -- c-addr u1 rest u3 flag ) 2over 2swap search ;
: digits ( c-addr u -- ) begin over c@ [char] 0 [char] : within while over c@ emit 1 /string repeat 2drop ;
: after ( c-addr u1 pattern u2 -- rest u3 ) dup >r search drop r> /string ;
: .start ( c-addr u -- ) s" {'id':" .json s\" \"id\":" after digits ;
: bid ( c-addr u -- ) 2dup .start s" ,'action':'bid','quantity':" .json
  s\" \"raises\":[{\"face\":" after 2dup s\" \"min\":" after digits s" ,'face':" .json digits s" }" .json cr ;
: turn ( c-addr u -- ) s\" \"dudo\":true" has nip nip
  if .start s" ,'action':'dudo'}" .json cr else bid then ;
: play ( c-addr u -- )
  s\" \"type\":\"hello\"" has nip nip if 2drop s" {'type':'ready'}" .json cr exit then
  s\" \"type\":\"turn\"" has nip nip if turn else 2drop then ;
: main begin line 65536 stdin read-line throw while line swap strip play stdout flush-file throw repeat drop ;
main bye
