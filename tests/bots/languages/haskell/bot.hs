import Data.Char (isDigit)
import Data.List (isInfixOf, isPrefixOf, tails)
import System.IO

after :: String -> String -> String
after key text = head [drop (length key) rest | rest <- tails text, key `isPrefixOf` rest]

number :: String -> String -> String
number key = takeWhile isDigit . after ("\"" ++ key ++ "\":")

answer :: String -> String
answer line
  | "\"type\":\"hello\"" `isInfixOf` line = "{\"type\":\"ready\"}\n"
  | not ("\"type\":\"turn\"" `isInfixOf` line) = ""
  | "\"dudo\":true" `isInfixOf` line = start ++ "\"dudo\"}\n"
  | otherwise = start ++ "\"bid\",\"quantity\":" ++ number "min" raises ++ ",\"face\":" ++ number "face" raises ++ "}\n"
  where
    start = "{\"id\":" ++ number "id" line ++ ",\"action\":"
    raises = after "\"raises\":" line

main :: IO ()
main = hSetBuffering stdout LineBuffering >> interact (concatMap (answer . filter (/= ' ')) . lines)
