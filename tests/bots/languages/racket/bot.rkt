#lang racket/base
(require json)
(for ([line (in-lines)])
  (define asked (string->jsexpr line))
  (define (answer action . more)
    (write-json (apply hasheq 'id (hash-ref asked 'id) 'action action more)) (newline))
  (case (hash-ref asked 'type)
    [("hello") (displayln "{\"type\":\"ready\"}")]
    [("turn") (define raises (hash-ref asked 'raises))
              (if (hash-ref asked 'dudo)
                  (answer "dudo")
                  (answer "bid" 'quantity (hash-ref (car raises) 'min) 'face (hash-ref (car raises) 'face)))])
  (flush-output))
