package Dependencies;    # who waits for whom among tasks: computed from both sides of every edge, never stored
use v5.20;
use warnings;
use Exporter qw(import);
use Files;
use Json;
our @EXPORT = qw(usable others is_internal edges_of half_edges link_tasks reaches blockers obstacle);

my %is_done = (completed => 1, deleted => 1);

sub usable {
    my ($id, $tasks) = @_;
    my $found = $tasks->{$id} // refuse(notFound => "there is no task $id");
    my $task  = $found->{task} // refuse(invalid => "task $id is damaged; it is left as it is");
    refuse(notFound => "task $id is deleted") if $task->{status} eq 'deleted';
    return $task;
}

# Those of the ids that can still be used; never the task itself.
sub others {
    my ($id, $tasks, @ids) = @_;
    return grep { $_ ne $id && $tasks->{$_} && $tasks->{$_}{task} } @ids;
}

sub is_internal { my $mark = ($_[0]{metadata} // {})->{_internal}; is_bool($mark) && $mark }

# [first, second]: second waits for first, seen from either side.
sub edges_of {
    my ($tasks) = @_;
    my %edges;
    for my $id (grep { $tasks->{$_}{task} } keys %$tasks) {
        $edges{"$id $_"} = [$id, $_] for @{ $tasks->{$id}{task}{blocks} };
        $edges{"$_ $id"} = [$_, $id] for @{ $tasks->{$id}{task}{blockedBy} };
    }
    return values %edges;
}

# Those of unfinished tasks that stand on one side only.
sub half_edges {
    my ($tasks) = @_;
    return grep {
        my ($first, $second) = map { ($tasks->{$_} // {})->{task} } @$_;
        my ($here, $there) = @$_;
        $first && $second && !$is_done{ $first->{status} }
            && !((grep { $_ eq $there } @{ $first->{blocks} }) && grep { $_ eq $here } @{ $second->{blockedBy} });
    } edges_of($tasks);
}

sub link_tasks {
    my ($first, $second, $tasks, $change) = @_;
    for ([$second, 'blockedBy', $first], [$first, 'blocks', $second]) {
        my ($id, $key, $other) = @$_;
        my @there = @{ $tasks->{$id}{task}{$key} };
        $change->($id, $key, [@there, $other]) unless grep { $_ eq $other } @there;
    }
}

sub reaches {
    my ($start, $goal, @edges) = @_;
    my (%follow, %found);
    push @{ $follow{ $_->[0] } }, $_->[1] for @edges;
    my @todo = $start;
    while (defined(my $here = shift @todo)) {
        push @todo, @{ $follow{$here} // [] } unless $found{$here}++;
    }
    return $found{$goal};
}

# Of each task, what still has to be done first; a task that cannot be read is not known to be done.
sub blockers {
    my ($tasks) = @_;
    my %waits = map { $_ => [] } keys %$tasks;
    for (sort { $a->[0] <=> $b->[0] } edges_of($tasks)) {
        my ($first, $second) = @$_;
        next unless $waits{$second} && $tasks->{$first};
        my $task = $tasks->{$first}{task};
        push @{ $waits{$second} }, $first unless $task && $is_done{ $task->{status} };
    }
    return \%waits;
}

sub obstacle {
    my ($id, $tasks, $waits) = @_;
    my $found = $tasks->{$id} or return 'notFound';
    my $task  = $found->{task} or return 'invalid';
    return 'notFound' if $task->{status} eq 'deleted';
    return 'refused'  if is_internal($task);
    return 'conflict' if exists $task->{owner} || $task->{status} ne 'pending';
    return @{ $waits->{$id} } ? 'blocked' : undef;
}

1;
