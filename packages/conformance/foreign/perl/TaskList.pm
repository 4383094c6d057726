package TaskList;    # the tasks of a team on disk: ids, states, dependencies, claims
use v5.20;
use warnings;
use File::Path  qw(make_path);
use List::Util  qw(max);
use Time::HiRes qw(sleep stat time);
use Dependencies;
use Documents;
use Files;
use Inboxes;
use Json;
use TeamStore qw(lead_of member_of);

my @task_keys = qw(id subject description activeForm owner status blocks blockedBy metadata);

sub new { my ($class, $store) = @_; bless { store => $store }, $class }

sub create {
    my ($self, %a) = @_;
    $self->{store}->open_team($a{team}, 1);
    my $place = $self->place($a{team});
    return with_locks(["$place/.lock"], undef, sub {
        write_file("$place/.lock", '') unless -e "$place/.lock";
        my $id   = 1 + $self->highest($a{team});
        my $task = ordered(\@task_keys, %a{qw(subject description activeForm metadata)}, id => "$id",
            status => 'pending', blocks => [], blockedBy => []);
        publish("$place/$id.json", $task);
        return { id => "$id", task => $task };
    });
}

sub get {
    my ($self, %a) = @_;
    $self->{store}->open_team($a{team});
    my $found = $self->find($a{team}, $a{id}) // refuse(notFound => "there is no task $a{id}");
    refuse(invalid => "task $a{id} cannot be used: $found->{problems}[-1]{code}") unless $found->{task};
    return { task => $found->{task}, problems => $found->{problems} };
}

sub list {
    my ($self, %a) = @_;
    $self->{store}->open_team($a{team});
    my $tasks = $self->scan($a{team}, time + 1);
    my $waits = blockers($tasks);
    my (@shown, @problems);
    for my $id (sort { $a <=> $b } keys %$tasks) {
        my $task = $tasks->{$id}{task};
        push @problems, map { +{ %$_, id => $id } } @{ $tasks->{$id}{problems} };
        next if !$task || $task->{status} eq 'deleted' || is_internal($task);
        push @shown, ordered([qw(id subject status owner blockedBy)], %$task, blockedBy => $waits->{$id});
    }
    return { tasks => \@shown, problems => \@problems };
}

sub claim {
    my ($self, %a) = @_;
    my ($config) = $self->{store}->open_team($a{team}, 1);
    my $member = member_of($config, $a{agent}) or refuse(refused => "$a{agent} is no member of $a{team}");
    my $choose = sub {
        my ($tasks) = @_;
        return $a{id} if defined $a{id};
        my $waits = blockers($tasks);
        my ($free) = grep { !obstacle($_, $tasks, $waits) } sort { $a <=> $b } keys %$tasks;
        return $free // ();
    };
    return $self->together($a{team}, $choose, sub {
        my ($tasks, $change, $id) = @_;
        return { claimed => boolean(0), reason => 'none' } unless defined $id;
        my $reason = obstacle($id, $tasks, blockers($tasks));
        refuse($reason => "task $id cannot be claimed now: $reason") if $reason;
        $change->($id, owner  => $member->{name});
        $change->($id, status => 'in_progress');
        return { claimed => boolean(1), task => $tasks->{$id}{task} };
    });
}

sub update {
    my ($self, %a) = @_;
    return $self->remove(%a) if ($a{status} // '') eq 'deleted';
    my ($team, $id) = @a{qw(team id)};
    my ($config, $revision) = $self->{store}->open_team($team, 1);
    my $giver = defined $a{by} ? member_of($config, $a{by}) : lead_of($config);
    my $mate  = defined $a{owner} ? member_of($config, $a{owner}) : undef;
    refuse(refused => ($mate ? $a{by} : $a{owner}) . " is no member of $team")
        if defined $a{owner} && !($mate && $giver);
    my @edges = ((map { [$id, $_] } @{ $a{addBlocks} // [] }), map { [$_, $id] } @{ $a{addBlockedBy} // [] });
    my $is_completed = ($a{status} // '') eq 'completed';
    my $former;
    my $choose = sub {
        my ($tasks) = @_;
        my @freed = grep { $tasks->{$_}{task} && grep { $_ eq $id } @{ $tasks->{$_}{task}{blockedBy} } } keys %$tasks;
        return ($id, (map { @$_ } @edges), $is_completed ? @freed : ());
    };
    my $work = sub {
        my ($tasks, $change, @ids) = @_;
        my $task = usable($id, $tasks);
        $former = $task->{owner} // '';
        for (@edges) {
            my ($first, $second) = @$_;
            usable($_, $tasks) for $first, $second;
            refuse(refused => "task $second waiting for task $first would close a circle")
                if reaches($second, $first, edges_of($tasks), @edges);
        }
        link_tasks(@$_, $tasks, $change) for @edges;
        my $is_given_back = exists $a{owner} && !$mate && $task->{status} eq 'in_progress';
        my $state  = $a{status} // ($is_given_back ? 'pending' : $task->{status});
        my $before = blockers($tasks)->{$id};
        refuse(blocked => "task $id waits for @$before")
            if $state eq 'in_progress' && $task->{status} ne 'in_progress' && @$before;
        $change->($id, $_, $a{$_}) for grep { exists $a{$_} } qw(subject description activeForm);
        $change->($id, status => $state);
        $change->($id, owner => $mate && $mate->{name}) if exists $a{owner};
        $change->($id, metadata => merged($task->{metadata} // {}, $a{metadata})) if $a{metadata};
        for my $other ($is_completed && $revision eq '2026-02' ? others($id, $tasks, @ids) : ()) {
            $change->($other, blockedBy => [grep { $_ ne $id } @{ $tasks->{$other}{task}{blockedBy} }]);
        }
        return { task => $task };
    };
    my $done = @edges || $a{status} ? $self->together($team, $choose, $work) : $self->alone($team, $id, $work);
    $self->tell($team, $revision, $mate, $giver, $done->{task})
        if $mate && $former ne $mate->{name} && ($revision eq '2026-11' || $mate != $giver);
    return $done;
}

sub merged {
    my ($here, $more) = @_;
    my @keys = (keys_of($here), grep { !exists $here->{$_} } keys_of($more));
    return ordered(\@keys, %$here, %$more);
}

sub tell {
    my ($self, $team, $revision, $mate, $giver, $task) = @_;
    my $now  = $self->{store}->stamp;
    my $text = compact(ordered(
        [qw(type taskId subject description assignedBy timestamp)], %$task{qw(subject description)},
        type => 'task_assignment', taskId => $task->{id}, assignedBy => $giver->{name}, timestamp => $now,
    ));
    Inboxes->new($self->{store})
        ->deliver($team, $revision, $mate, from => $giver->{name}, text => $text, timestamp => $now);
}

sub remove {
    my ($self, %a) = @_;
    my ($team, $id) = @a{qw(team id)};
    $self->{store}->open_team($team, 1);
    my $choose = sub {
        my ($tasks) = @_;
        my $names = sub { grep { $_ eq $id } map { @$_ } @{ $_[0] }{qw(blocks blockedBy)} };
        return ($id, grep { $tasks->{$_}{task} && $names->($tasks->{$_}{task}) } keys %$tasks);
    };
    return $self->together($team, $choose, sub {
        my ($tasks, $change, @ids) = @_;
        usable($id, $tasks);
        for my $other (others($id, $tasks, @ids)) {
            $change->($other, $_, [grep { $_ ne $id } @{ $tasks->{$other}{task}{$_} }]) for qw(blocks blockedBy);
        }
        write_file($self->{store}->task_place($team) . '/.highwatermark', $self->highest($team));
        still_held();
        unlink $self->path($team, $id);
        delete $tasks->{$id};
        return {};
    });
}

# Made anew where it is missing, but not for a team that is going.
sub place {
    my ($self, $team) = @_;
    my $place = $self->{store}->task_place($team);
    return $place if -d $place;
    with_locks([$self->{store}->config_path($team)], undef, sub {
        $self->{store}->open_team($team);
        make_path($place, { mode => 0700 });
    });
    return $place;
}

sub path {
    my ($self, $team, $id) = @_;
    refuse(invalid => "'$id' is no task id") unless $id =~ /^[1-9][0-9]{0,14}\z/;
    return $self->{store}->task_place($team) . "/$id.json";
}

sub ids {
    my ($self, $team) = @_;
    opendir my $tasks, $self->{store}->task_place($team) or return;
    return map { /^([1-9][0-9]{0,14})\.json\z/ ? $1 : () } readdir $tasks;
}

sub highest {
    my ($self, $team) = @_;
    my ($mark) = (read_bytes($self->{store}->task_place($team) . '/.highwatermark') // '') =~ /^\s*([0-9]{1,15})\s*\z/;
    return max($mark // 0, $self->ids($team));
}

# {task, problems, is_faithful}, without a task where it cannot be used; undef where no file is.
sub find {
    my ($self, $team, $id, $until) = @_;
    my $path = $self->path($team, $id);
    my @found = eval { read_document($path, $until) };
    return { problems => [{ code => 'damaged', message => $@->{message} }] } if !@found && ref $@;
    return undef unless @found;
    my ($raw, $before, $is_faithful) = @found;
    my ($sound, $faults) = judge_task($raw, $self->{store}{revision}, $id);
    return { task => $sound && $raw, problems => [@$before, @$faults], is_faithful => $is_faithful };
}

# Tasks by their ids; damaged ones share the time in which they are read again.
sub scan {
    my ($self, $team, $until, @ids) = @_;
    my %found = @ids
        ? map { $_ => $self->find($team, $_, $until) } @ids
        : map { $_ => $self->remembered($team, $_, $until) } $self->ids($team);
    return { map { $_ => $found{$_} } grep { $found{$_} } keys %found };
}

# As it was read before, while the file is the same; one that was just written could change without a trace.
sub remembered {
    my ($self, $team, $id, $until) = @_;
    my $path   = $self->path($team, $id);
    my @status = stat $path or return undef;
    my $mark   = "@status[1, 7, 9]";
    my $seen   = $self->{seen}{$path};
    return $seen->[1] if $seen && $seen->[0] eq $mark;
    my $found = $self->find($team, $id, $until);
    $self->{seen}{$path} = [$mark, $found] if $found && $found->{task} && abs(time - $status[9]) > 0.1;
    return $found;
}

sub alone {
    my ($self, $team, $id, $work) = @_;
    return with_locks([$self->path($team, $id)], undef, sub {
        $self->apply($team, $self->scan($team, undef, $id), $work, [], $id);
    });
}

# Work under .lock.lock and the locks of the chosen tasks; if one of those is busy, none is kept meanwhile.
sub together {
    my ($self, $team, $choose, $work) = @_;
    my $until = time + $wait;
    while (1) {
        my $result = eval {
            with_locks([$self->{store}->task_place($team) . '/.lock'], $until, sub {
                my $tasks  = $self->scan($team, time + 0.1);
                my @ids    = $choose->($tasks);
                my @torn   = half_edges($tasks);
                my %paths  = map { $_ => $self->path($team, $_) } @ids, map { @$_ } @torn;
                my @locked = sort { $a <=> $b } keys %paths;
                with_locks([@paths{@locked}], time + 0.15, sub {
                        delete @$tasks{@locked};
                    %$tasks = (%$tasks, %{ $self->scan($team, time + 0.2, @locked) }) if @locked;
                    $self->apply($team, $tasks, $work, \@torn, @ids);
                });
            });
        };
        return $result if $result;
        die $@ if !is_busy($@) || time > $until;
        sleep 0.01 + rand 0.04;
    }
}

sub apply {
    my ($self, $team, $tasks, $work, $torn, @ids) = @_;
    my @changed;
    my $change = sub {
        my ($id, $key, $value) = @_;
        my ($task, $is_faithful) = @{ $tasks->{$id} }{qw(task is_faithful)};
        return if compact($task->{$key}) eq compact($value);
        refuse(refused => "task $id holds what cannot be written back as it is") unless $is_faithful;
        if (defined $value) { put($task, \@task_keys, $key, $value) } else { delete $task->{$key} }
        push @changed, $id unless grep { $_ eq $id } @changed;
    };
    my $result  = $work->($tasks, $change, @ids);
    my %is_torn = map { ("@$_" => 1) } @changed ? half_edges($tasks) : ();
    link_tasks(@$_, $tasks, $change) for grep { $is_torn{"@$_"} } @$torn;    # a writer died between its two sides
    publish($self->path($team, $_), $tasks->{$_}{task}) for @changed;
    return $result;
}

1;
