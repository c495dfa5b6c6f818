use strict;
use warnings;
use JSON::PP;
$| = 1;
while (my $line = <STDIN>) {
    my $asked = decode_json($line);
    my ($id, $first) = ($asked->{id}, $asked->{raises}[0]);
    if ($asked->{type} eq "hello") { print qq({"type":"ready"}\n) }
    elsif ($asked->{type} ne "turn") { next }
    elsif ($asked->{dudo}) { print qq({"id":$id,"action":"dudo"}\n) }
    else { print qq({"id":$id,"action":"bid","quantity":$first->{min},"face":$first->{face}}\n) }
}
