number <- function(key, line) sub(paste0('.*?"', key, '":([0-9]+).*'), "\\1", line, perl = TRUE)
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  line <- gsub(" ", "", line)
  raises <- sub('.*"raises":', "", line)
  answer <- if (grepl('"type":"hello"', line)) '{"type":"ready"}'
  else if (!grepl('"type":"turn"', line)) next
  else if (grepl('"dudo":true', line)) sprintf('{"id":%s,"action":"dudo"}', number("id", line))
  else sprintf('{"id":%s,"action":"bid","quantity":%s,"face":%s}', number("id", line),
               number("min", raises), number("face", raises))
  cat(answer, "\n", sep = "")
}
