#!/usr/bin/env perl
# Lets the conformance suite drive the store: JSON-RPC 2.0, one object per line, on stdin and stdout.
use v5.20;
use warnings;
use FindBin qw($Bin);
use lib $Bin;
use Encode qw(encode);
use Documents;
use Files;
use Inboxes;
use Json;
use TaskList;
use TeamStore;

my %codes = (notFound => 1001, conflict => 1002, blocked => 1003, invalid => 1004, locked => 1005, refused => 1006,
    absent => -32601);
my $store = TeamStore->new($ENV{AGENT_TEAMS_HOME}, $ENV{CONFORMANCE_REVISION} // '2026-02');
my ($inboxes, $tasks) = (Inboxes->new($store), TaskList->new($store));
my %methods = (
    hello => sub {
        my (%a) = @_;
        $store->{revision} = $a{revision};
        return {
            name => 'foreign-perl', version => '1', language => 'Perl', protocol => number(1),
            revisions => ['2026-02', '2026-11'], levels => ['L0', 'L1', 'L2'],
            features => { clock => boolean(1), fencing => boolean(1) },
            quirks   => {
                lockStyle => 'mkdir', lockPath => '<file>.lock', staleMs => number($stale * 1000),
                waitMs => number($wait * 1000), unblockStyle => $a{revision} eq '2026-02' ? 'remove' : 'keep',
            },
        };
    },
    reset       => sub { my (%a) = @_; $store->{root} = encode('UTF-8', $a{root}); return {} },
    bye         => sub { return {} },
    'clock.set' => sub { my (%a) = @_; $store->{clock} = sub { ${ $a{ms} } / 1000 }; return {} },
    validate    => \&validate,
);

my %nouns = (
    team   => sub { ($store, "team_$_[0]") },
    member => sub { ($store, "member_$_[0]") },
    inbox  => sub { ($inboxes, $_[0]) },
    task   => sub { ($tasks, $_[0]) },
);

$| = 1;
while (my $line = <STDIN>) {
    my ($request) = parse_bytes($line);
    my ($method, $params) = @$request{qw(method params)};
    my $answer = ordered([qw(jsonrpc id result error)], jsonrpc => '2.0', id => $request->{id});
    my $result = eval { call($method, %$params) };
    if ($result) { $answer->{result} = $result }
    else {
        my $error = ref $@ ? $@ : { code => 'broken', message => $@ };
        $answer->{error} = { code => number($codes{ $error->{code} } // -32603), message => $error->{message} };
    }
    print encode('UTF-8', compact($answer)), "\n";
    exit 0 if $method eq 'bye';
}

sub call {
    my ($method, %a) = @_;
    return $methods{$method}->(%a) if $methods{$method};
    my ($noun, $verb) = split /\./, $method;
    my ($object, $name) = $nouns{$noun} ? $nouns{$noun}->($verb // '') : ();
    refuse(absent => "no $method") unless $object && $object->can($name);
    return $object->$name(%a);
}

sub validate {
    my (%a) = @_;
    my $revision = $store->{revision};
    refuse(absent => 'agent definitions belong to level L5') if $a{kind} eq 'agentDef';
    return verdict(judge_message($a{text}, $revision)) if $a{kind} eq 'message';
    my $marked = $a{text} =~ s/^\x{feff}//;
    my ($value, $problems) = eval { parse_text($a{text}) };
    return verdict(undef, [{ code => 'damaged' }], 0) if $@;
    push @$problems, { code => 'byteOrderMark' } if $marked;
    my $judge = { config => \&judge_config, task => \&judge_task, inbox => \&judge_inbox }->{ $a{kind} };
    my ($kept, $faults) = $judge->($value, $revision, $a{kind} eq 'inbox' ? () : $a{name});
    return verdict($kept, [@$problems, @$faults], defined $kept);
}

sub verdict {
    my ($normalized, $problems, $is_usable) = @_;
    my $is_valid = !grep { $_->{code} ne 'byteOrderMark' } @$problems;
    return { valid => boolean($is_valid), problems => $problems, $is_usable ? (normalized => $normalized) : () };
}
