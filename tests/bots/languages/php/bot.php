<?php
while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line);
    if ($asked->type === "hello") {
        echo '{"type":"ready"}', "\n";
    } elseif ($asked->type === "turn" && $asked->dudo) {
        echo json_encode(["id" => $asked->id, "action" => "dudo"]), "\n";
    } elseif ($asked->type === "turn") {
        $bid = ["quantity" => $asked->raises[0]->min, "face" => $asked->raises[0]->face];
        echo json_encode(["id" => $asked->id, "action" => "bid"] + $bid), "\n";
    }
}
