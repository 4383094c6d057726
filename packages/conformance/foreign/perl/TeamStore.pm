package TeamStore;    # teams and their members on disk, in both revisions
use v5.20;
use warnings;
use Encode      qw(decode encode);
use Exporter    qw(import);
use File::Path  qw(make_path);
use POSIX       qw(strftime);
use Time::HiRes qw(time);
use Documents;
use Files;
use Json;
our @EXPORT_OK = qw(lead_of member_of);

my $leaving     = qr/\.deleted-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/;
my @colors      = qw(blue green yellow purple orange pink cyan red);
my @config_keys = qw(name description createdAt leadAgentId leadSessionId leadProcess members);
my @lead_keys   = qw(agentId name agentType model joinedAt tmuxPaneId cwd subscriptions backendType);
my %mate_keys   = (
    '2026-02' => [qw(agentId name agentType model prompt color planModeRequired joinedAt tmuxPaneId cwd subscriptions
        backendType isActive)],
    '2026-11' => [qw(agentId name color joinedAt tmuxPaneId subscriptions agentType model prompt planModeRequired cwd
        backendType isActive)],
);

# `revision` is that of the teams made here; one that is there already is kept in its own.
sub new {
    my ($class, $root, $revision) = @_;
    return bless { root => $root, revision => $revision, clock => \&time }, $class;
}

# A name from a caller is one step of a path, never more.
sub inside {
    my ($name) = @_;
    refuse(invalid => "'$name' cannot name anything")
        if $name =~ m{^\.{0,2}\z|[/\\\0\x{d800}-\x{dfff}]} || length encode('UTF-8', "$name") > 200;
    return $name;
}

sub team_place  { my ($self, $team) = @_; path_of($self->{root}, 'teams', inside($team)) }
sub task_place  { my ($self, $team) = @_; path_of($self->{root}, 'tasks', inside($team)) }
sub config_path { $_[0]->team_place($_[1]) . '/config.json' }
sub now         { number(int $_[0]{clock}->() * 1000) }

sub stamp {
    my $ms = ${ $_[0]->now };
    return strftime('%Y-%m-%dT%H:%M:%S', gmtime int $ms / 1000) . sprintf '.%03dZ', $ms % 1000;
}

sub lead_of {
    my @members = @{ $_[0]{members} };
    my ($lead) = (
        (grep { ($_->{agentId}   // '') eq ($_[0]{leadAgentId} // '-') } @members),
        (grep { ($_->{agentType} // '') eq 'team-lead' } @members), {},
    );
    return $lead;
}

sub member_of {
    my ($config, $name) = @_;
    my ($member) = grep { fold($_->{name}) eq fold($name) } @{ $config->{members} };
    return $member;
}

sub team_create {
    my ($self, %a) = @_;
    my ($team, $session) = @a{qw(team sessionId)};
    my $is_new = $self->{revision} eq '2026-11';
    refuse(invalid => "'$team' cannot name a team, or '$a{cwd}' is not absolute")
        if !is_name($team) || $team =~ $leaving || $a{cwd} !~ m{^/};
    my $own = 'session-' . lc substr $session, 0, 8;
    refuse(invalid => "session $session leads $own only") if $is_new && $team ne $own;
    my $path = $self->team_place($team);
    refuse(refused => "session $session leads a team already; end that one first")
        if !-e $path && grep { (eval { $self->team_get(team => $_)->{config}{leadSessionId} } // '') eq $session }
        @{ $self->team_list->{teams} };
    make_path("$self->{root}/teams", "$self->{root}/tasks", { mode => 0700 });
    mkdir $path, 0700 or refuse(conflict => "$team exists; take another name");
    mkdir $self->task_place($team), 0700;
    write_file($self->task_place($team) . '/.lock', '') unless $is_new;
    my $now  = $self->now;
    my $lead = ordered(
        \@lead_keys, agentId => "team-lead\@$team", name => 'team-lead', agentType => 'team-lead', joinedAt => $now,
        model => $is_new ? undef : $a{model} // '', tmuxPaneId => $is_new ? 'leader' : '', cwd => $a{cwd},
        subscriptions => [], backendType => $is_new ? 'in-process' : undef,
    );
    publish($self->config_path($team), ordered(
        \@config_keys, name => $team, description => $is_new ? undef : $a{description} // '', createdAt => $now,
        leadAgentId => $lead->{agentId}, leadSessionId => $session, members => [$lead],
        leadProcess => $is_new ? this_process($now) : undef,
    ));
    return { team => $team };
}

sub this_process {
    my ($now) = @_;
    my ($space, $stat) = (readlink '/proc/self/ns/pid', read_bytes('/proc/self/stat') // '');
    my $start = $stat =~ /.*\) (.*)/ ? (split ' ', $1)[19] : undef;
    return ordered([qw(pid pidSpace claimedAt procStart)],
        pid => number($$), pidSpace => $space, claimedAt => $now, procStart => $start);
}

sub team_get {
    my ($self, %a) = @_;
    my ($raw, $before) = $a{team} =~ $leaving ? () : read_document($self->config_path($a{team}));
    refuse(notFound => "there is no team $a{team}") unless $before;
    my ($config, $problems) = judge_config($raw, $self->{revision}, $a{team});
    refuse(invalid => "the config of $a{team} is damaged") unless $config;
    return { config => $raw, problems => [@$before, @$problems] };
}

sub team_list {
    my ($self) = @_;
    opendir my $teams, "$self->{root}/teams" or return { teams => [] };
    my @names = grep { -e "$self->{root}/teams/$_/config.json" && !/$leaving/ } readdir $teams;
    return { teams => [sort map { decode('UTF-8', $_) } @names] };
}

sub team_delete {
    my ($self, %a) = @_;
    $self->open_team($a{team}, 1);
    return with_locks([$self->config_path($a{team})], undef, sub {
        my ($config, $revision) = $self->open_team($a{team});
        my $is_old = $revision eq '2026-02';
        refuse(refused => "$a{team} has teammates; let them end first")
            if $is_old && @{ $config->{members} } > 1 && !$a{force};
        still_held();
        my $place = $self->team_place($a{team});
        my $aside = $is_old ? $place : "$place.deleted-" . uuid();
        rename $place, $aside or die "$place: $!";
        unlink "$aside/config.json";    # from now on it is no team, but its name is still taken
        remove_all($_) for $is_old ? $self->task_place($a{team}) : (), $aside;
        return {};
    });
}

# The usable part of a config, and the revision the team is kept in.
sub open_team {
    my ($self, $team, $is_to_write) = @_;
    my $raw = $self->team_get(team => $team)->{config};
    my ($config) = judge_config($raw, $self->{revision});
    return ($config, '2026-11') if $raw->{leadProcess} || (lead_of($config)->{tmuxPaneId} // '') eq 'leader';
    return ($config, '2026-02') unless $is_to_write;
    opendir my $inboxes, $self->team_place($team) . '/inboxes' or return ($config, '2026-02');
    for my $path (map { $self->team_place($team) . "/inboxes/$_" } grep { /\.json\z/ } readdir $inboxes) {
        next unless (read_bytes($path) // '') =~ /"type"/;    # as a key; within a text its quotes are escaped
        my ($entries) = eval { read_document($path) };
        refuse(refused => "$team is kept in a form between the revisions; it is not written")
            if is_array($entries) && grep { is_object($_) && exists $_->{type} } @$entries;
    }
    return ($config, '2026-02');
}

sub member_add {
    my ($self, %a) = @_;
    my ($name, $is_tmux) = ($a{name}, $a{backend} eq 'tmux');
    refuse(invalid => "'$name' cannot name a member, or '$a{cwd}' is not absolute")
        if !is_name($name) || $a{cwd} !~ m{^/};
    return $self->change_config($a{team}, sub {
        my ($raw, $config, $revision) = @_;
        refuse(conflict => "$name is a member already; take another name") if member_of($config, $name);
        my $is_old = $revision eq '2026-02';
        my $lead   = lead_of($config);
        my @mates  = grep { $_ != $lead } @{ $config->{members} };
        my ($last) = grep { @mates && $colors[$_] eq ($mates[-1]{color} // '') } 0 .. $#colors;
        my $member = ordered(
            $mate_keys{$revision}, %a{qw(name agentType model prompt cwd)}, agentId => "$name\@$a{team}",
            color => $colors[(defined $last ? $last + 1 : @mates) % 8], joinedAt => $self->now, subscriptions => [],
            planModeRequired => boolean($is_old && ($a{mode} // '') eq 'plan'),
            tmuxPaneId => $is_tmux ? $a{paneId} // '' : 'in-process',
            backendType => $is_tmux && !$a{paneId} ? undef : $a{backend},
            isActive => $is_old && $is_tmux ? boolean(1) : undef,
        );
        push @{ $raw->{members} }, $member;
        return { member => $member };
    });
}

sub member_update {
    my ($self, %a) = @_;
    return $self->change_config($a{team}, sub {
        my ($raw, $config, $revision) = @_;
        my $member = raw_member($raw, $config, $a{name});
        refuse(refused => 'an in-process member has no isActive')
            if exists $a{set}{isActive} && ($a{set}{backendType} // $member->{backendType} // '') eq 'in-process';
        put($member, $mate_keys{$revision}, $_, $a{set}{$_}) for keys %{ $a{set} };
        return { member => $member };
    });
}

sub member_remove {
    my ($self, %a) = @_;
    return $self->change_config($a{team}, sub {
        my ($raw, $config) = @_;
        my $member = raw_member($raw, $config, $a{name});
        refuse(refused => 'a team keeps its lead') if fold(lead_of($config)->{name} // '') eq fold($a{name});
        $raw->{members} = [grep { $_ != $member } @{ $raw->{members} }];
        return {};
    });
}

sub change_config {
    my ($self, $team, $change) = @_;
    $self->open_team($team, 1);
    my $path = $self->config_path($team);
    return with_locks([$path], undef, sub {
        my ($config, $revision) = $self->open_team($team, 1);
        my $raw    = read_to_write($path);
        my $result = $change->($raw, $config, $revision);
        publish($path, $raw);
        return $result;
    });
}

# The entry as it stands in the file.
sub raw_member {
    my ($raw, $config, $name) = @_;
    my $member = member_of($config, $name) or refuse(notFound => "$name is no member");
    my ($found) = grep { is_object($_) && is_text($_->{name}) && $_->{name} eq $member->{name} } @{ $raw->{members} };
    return $found;
}

1;
