package Documents;    # what the published schemas and the pages say about a value that was read
use v5.20;
use warnings;
no warnings qw(recursion);
use Encode             qw(encode);
use Exporter           qw(import);
use FindBin            ();
use Unicode::Normalize qw(NFC);
use Json;
our @EXPORT = qw(judge_config judge_task judge_inbox judge_message is_name fold);

my $schemas  = "$FindBin::Bin/../../../../schemas";
my %messages = map { m{/message-([^/]+)\.json$} ? ($1 => 1) : () } glob "'$schemas/2026-11/'message-*.json";
my %is_loose = (owner => 1, timestamp => 1);    # a text that breaks their pattern is a fault, and used all the same
my (%loaded, %compiled);
my %is = (
    object => \&is_object, array => \&is_array, string => \&is_text, boolean => \&is_bool, number => \&is_number,
    integer => sub { is_number($_[0]) && ${ $_[0] } == int ${ $_[0] } },
);

sub schema {
    my ($revision, $name) = @_;
    return $loaded{"$revision/$name"} //= do {
        open my $file, '<:raw', "$schemas/$revision/$name.json" or die "no schema $name: $!";
        (parse_bytes(do { local $/; <$file> }))[0];
    };
}

# As much of JSON Schema as the published schemas use.
sub fits {
    my ($value, $rule) = @_;
    if (my $type = $rule->{type}) { return 0 unless grep { $is{$_}->($value) } is_array($type) ? @$type : $type }
    return 0 if exists $rule->{const} && compact($value) ne compact($rule->{const});
    return 0 if $rule->{enum}         && !grep { compact($value) eq compact($_) } @{ $rule->{enum} };
    return 0 if $rule->{not}          && fits($value, $rule->{not});
    if (is_text($value) && defined(my $pattern = $rule->{pattern})) {
        $compiled{$pattern} //= $pattern =~ s/\$$/\\z/r;
        return 0 unless $value =~ /$compiled{$pattern}/;
    }
    if (is_number($value)) {
        return 0 if $rule->{minimum} && $$value < ${ $rule->{minimum} };
        return 0 if $rule->{maximum} && $$value > ${ $rule->{maximum} };
    }
    if (is_array($value) && $rule->{items}) { fits($_, $rule->{items}) or return 0 for @$value }
    if (is_object($value)) {
        my $parts = $rule->{properties} // {};
        exists $value->{$_} or return 0 for @{ $rule->{required} // [] };
        exists $value->{$_} && !fits($value->{$_}, $parts->{$_}) and return 0 for keys %$parts;
    }
    fits($value, $_) or return 0 for @{ $rule->{allOf} // [] };
    return 0 if $rule->{anyOf} && !grep { fits($value, $_) } @{ $rule->{anyOf} };
    return 0 if $rule->{oneOf} && 1 != grep { fits($value, $_) } @{ $rule->{oneOf} };
    return 1;
}

# A copy without the faulty fields, the faults, and whether everything required is left.
sub check {
    my ($document, $rule, $path) = @_;
    return ({}, [fault('wrong', $path)], 0) unless is_object($document);
    my $parts   = $rule->{properties};
    my @faulty  = grep { exists $document->{$_} && !fits($document->{$_}, $parts->{$_}) } sort keys %$parts;
    my @missing = grep { !exists $document->{$_} } @{ $rule->{required} };
    my %kept    = %$document;
    delete $kept{$_} for grep { !($is_loose{$_} && is_text($document->{$_})) } @faulty;
    my @faults = ((map { fault('wrong', "$path/$_") } @faulty), map { fault('missing', "$path/$_") } @missing);
    return (\%kept, \@faults, !grep { !exists $kept{$_} } @{ $rule->{required} });
}

sub fault { return { code => $_[0], path => $_[1] // '' } }

sub fold { lc NFC($_[0]) }

sub is_name {
    my ($name) = @_;
    return fits($name, schema('2026-02', 'team-config')->{properties}{name})
        && $name !~ /[\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{2069}\x{feff}\x{d800}-\x{dfff}]/
        && length encode('UTF-8', "$name") <= 200;
}

sub judge_config {
    my ($value, $revision, $directory) = @_;
    return (undef, [fault('noConfig')]) unless is_object($value) && is_array($value->{members});
    my $rule = schema($revision, 'team-config');
    my ($kept, $problems) = check({ %$value, members => [] }, $rule, '');
    my ($n, %names) = (-1);
    for my $raw (@{ $value->{members} }) {
        my $path = '/members/' . ++$n;
        my ($member, $faults) = check($raw, $rule->{properties}{members}{items}, $path);
        push @$problems, @$faults;
        my $name = $member->{name};
        next if !defined $name || exists $raw->{planModeRequired} && !exists $member->{planModeRequired};
        if ($names{ fold($name) }++) { push @$problems, fault('doubleName', "$path/name"); next }
        push @$problems, fault('agentIdMismatch', "$path/agentId")
            if exists $member->{agentId} && $member->{agentId} ne $name . '@' . ($kept->{name} // '');
        $member->{backendType} = 'tmux' if ($member->{backendType} // '') eq 'pane';
        push @{ $kept->{members} }, $member;
    }
    push @$problems, fault('nameMismatch', '/name') if defined $directory && $directory ne ($kept->{name} // '');
    push @$problems, fault('noLead', '/leadAgentId')
        if defined $kept->{leadAgentId}
        && !grep { ($_->{agentId} // '') eq $kept->{leadAgentId} } @{ $kept->{members} };
    return ($kept, $problems);
}

# What spoils a field that keeps others from the task spoils all of it.
sub judge_task {
    my ($value, $revision, $stem) = @_;
    my ($kept, $problems, $is_whole) = check($value, schema($revision, 'task'), '');
    return (undef, $problems) if !$is_whole || exists $value->{owner} && !exists $kept->{owner};
    push @$problems, fault('waitsForItself', '/blockedBy')
        if grep { $_ eq $kept->{id} } @{ $kept->{blocks} }, @{ $kept->{blockedBy} };
    return ($kept, $problems) if !defined $stem || $stem eq $kept->{id};
    return (undef, [@$problems, fault('idMismatch', '/id')]);
}

# The entries that were delivered or are to be.
sub judge_inbox {
    my ($value, $revision) = @_;
    return (undef, [fault('noArray')]) unless is_array($value);
    my (@entries, @problems);
    for my $n (0 .. $#$value) {
        my ($entry, $faults) = check($value->[$n], schema($revision, 'inbox-entry'), "/$n");
        push @problems, @$faults;
        next if grep { !exists $entry->{$_} } qw(from text timestamp);
        $entry->{read} //= boolean(0);
        push @entries, $entry;
    }
    return (\@entries, \@problems);
}

# The structured body of a message, or undef for an ordinary one; its faults, and whether it can be used.
sub judge_message {
    my ($text, $revision) = @_;
    my ($found, $problems) = eval { parse_text($text) };
    return (undef, [], 1) if !is_object($found) || grep { $_->{code} eq 'surplus' } @$problems;
    my $body = plain($found);
    return (undef, [], 1) unless is_text($body->{type}) && $messages{ $body->{type} };
    my $rule = schema($revision, "message-$body->{type}");
    if ($rule->{oneOf}) {    # an answer: any fault, and it is none
        push @$problems, fault('wrong') unless fits($body, $rule);
        return ($body, $problems, !@$problems);
    }
    my ($kept, $faults, $is_whole) = check($body, $rule, '');
    return ($kept, [@$problems, @$faults], $is_whole);
}

# The body with its aliases resolved; where the proper form stands beside one, it counts.
sub plain {
    my %body = %{ $_[0] };
    my $type = is_text($body{type}) ? $body{type} : '';
    my $rename = sub {
        my ($alias, $proper) = @_;
        return unless exists $body{$alias};
        my $value = delete $body{$alias};
        $body{$proper} = $value unless exists $body{$proper};
    };
    if ($type eq 'shutdown_response' && is_bool($body{approve})) {
        $body{type} = delete $body{approve} ? 'shutdown_approved' : 'shutdown_rejected';
    }
    elsif ($type eq 'idle') { $body{type} = 'idle_notification'; $rename->(agent => 'from') }
    elsif ($type eq 'plan_approval_response') { $rename->(approve => 'approved') }
    $rename->($type =~ /^permission_/ ? (requestId => 'request_id') : (request_id => 'requestId'));
    $body{planFilePath} =~ s/^~(?=\/)/$ENV{HOME}/ if is_text($body{planFilePath});
    return \%body;
}

1;
