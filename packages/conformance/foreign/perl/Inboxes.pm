package Inboxes;    # the messages of a team on disk: put in, looked at, taken out
use v5.20;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode      qw(encode);
use Documents;
use Files;
use Json;
use TeamStore qw(member_of);

my @entry_keys = qw(from text summary timestamp color msgV msg_id type read lead_sig);

sub new { my ($class, $store) = @_; bless { store => $store }, $class }

sub append {
    my ($self, %a) = @_;
    refuse(refused => 'this text would act as a structured message; only the runtime writes those')
        if (judge_message($a{text}, $self->{store}{revision}))[0];
    my ($config, $revision) = $self->{store}->open_team($a{team}, 1);
    my $to = member_of($config, $a{agent}) or refuse(notFound => "$a{agent} is no member of $a{team}");
    my $by = member_of($config, $a{from})  or refuse(notFound => "$a{from} is no member of $a{team}");
    $self->deliver($a{team}, $revision, $to, %a{qw(text summary)}, from => $by->{name}, color => $by->{color});
    return {};
}

sub deliver {
    my ($self, $team, $revision, $to, %fields) = @_;
    my $path   = $self->path($team, $to);
    my $is_new = $revision eq '2026-11';
    my $entry  = ordered(
        \@entry_keys, timestamp => $self->{store}->stamp, read => boolean(0),
        $is_new ? (msgV => number(1), msg_id => uuid(), type => 'message') : (), %fields,
    );
    mkdir $path =~ s{/[^/]*\z}{}r, 0700;
    with_locks([$path], undef, sub {
        my $entries = entries_to_write($path);
        publish($path, []) if $is_new && !-e $path;
        publish($path, [@$entries, $entry]);
    });
}

sub read {
    my ($self, %a) = @_;
    my ($path, $revision) = $self->known($a{team}, $a{agent});
    my ($entries, $problems) = read_document($path);
    my ($sound,   $faults)   = judge_inbox($entries // [], $revision);
    refuse(invalid => "$path is no inbox") unless $sound;
    my (@messages, %seen);
    for my $raw (grep { waits($_) } @{ $entries // [] }) {
        my $digest = digest($raw);
        push @messages, { %{ (judge_inbox([$raw], $revision))[0][0] }, key => "$digest." . ++$seen{$digest} };
    }
    return { messages => \@messages, problems => [@{ $problems // [] }, @$faults] };
}

sub markRead {
    my ($self, %a) = @_;
    my ($path, $revision) = $self->known($a{team}, $a{agent}, 1);
    return {} unless -e $path;
    my %named;
    $named{ s/\..*//r }++ for @{ $a{keys} // [] };

    # Of equal messages as many as were named: their places move when one of them is pruned.
    my $is_taken = sub { !$a{keys} || --($named{ digest($_[0]) } //= 0) >= 0 };
    return with_locks([$path], undef, sub {
        my $entries = entries_to_write($path);
        if ($revision eq '2026-11') {    # neither the delivered nor the unusable stay
            $entries = [grep { waits($_) && !$is_taken->($_) } @$entries];
        }
        else {
            put($_, \@entry_keys, read => boolean(1)) for grep { waits($_) && $is_taken->($_) } @$entries;
        }
        publish($path, $entries);
        return {};
    });
}

sub path {
    my ($self, $team, $member) = @_;
    return path_of($self->{store}->team_place($team), 'inboxes', "$member->{name}.json");
}

sub known {
    my ($self, $team, $agent, $is_to_write) = @_;
    my ($config, $revision) = $self->{store}->open_team($team, $is_to_write);
    my $member = member_of($config, $agent) or refuse(notFound => "$agent is no member of $team");
    return ($self->path($team, $member), $revision);
}

# Whether what stands in the file is a message still to be delivered.
sub waits {
    my ($raw) = @_;
    return is_object($raw) && !(grep { !is_text($raw->{$_}) } qw(from timestamp text))
        && !(is_bool($raw->{read}) && $raw->{read});
}

sub digest {
    my ($raw) = @_;
    return substr sha256_hex(encode('UTF-8', compact([@$raw{qw(msg_id from timestamp text)}]))), 0, 16;
}

# Under the lock. What can never be an inbox again is copied aside and gives way to an empty one.
sub entries_to_write {
    my ($path) = @_;
    my $entries = eval { read_to_write($path) // [] };
    die $@ if !defined $entries && !(ref $@ && $@->{code} eq 'invalid');
    return $entries if is_array($entries);
    write_file("$path.damaged." . token(4), read_bytes($path));
    return [];
}

1;
