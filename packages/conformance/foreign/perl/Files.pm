package Files;    # locks that are directories, and documents that are replaced whole
use v5.20;
use warnings;
use Encode     qw(encode);
use Errno      qw(EEXIST ENOENT);
use Exporter   qw(import);
use Fcntl      qw(O_CREAT O_EXCL O_WRONLY S_ISREG);
use File::Path qw(remove_tree);
use Time::HiRes qw(time sleep lstat);
use Json;
our @EXPORT = qw(refuse is_busy with_locks still_held read_document read_to_write read_bytes publish write_file
    remove_all token uuid path_of $stale $wait);

our ($stale, $wait) = (10, 5);    # seconds: a lock may be taken over, a waiter gives up
my @held;                         # the locks of this process

# An outcome that the caller could not know, by one of the protocol's words for it.
sub refuse { my ($code, $message, %more) = @_; die { code => $code, message => $message, %more } }
sub is_busy { ref $_[0] eq 'HASH' && $_[0]{is_busy} }

sub token {
    open my $source, '<:raw', '/dev/urandom' or die $!;
    read $source, my $bytes, $_[0];
    return unpack 'H*', $bytes;
}

sub path_of { my ($root, @steps) = @_; $root . encode('UTF-8', join '/', '', @steps) }

sub uuid {
    my @parts = token(16) =~ /(.{8})(.{4}).(.{3}).(.{3})(.{12})/;
    return "$parts[0]-$parts[1]-4$parts[2]-a$parts[3]-$parts[4]";
}

# Runs the code while `<file>.lock` is held for each file; the second and later ones are waited for only shortly.
sub with_locks {
    my ($files, $until, $code) = @_;
    return $code->() unless @$files;
    my ($first, @rest) = @$files;
    push @held, take("$first.lock", $until);
    my $result = eval { with_locks(\@rest, time + 0.15, $code) };
    my $error  = $@;
    my $lock   = pop @held;
    rmdir $lock->{path} if is_mine($lock);
    die $error if $error;
    return $result;
}

sub take {
    my ($path, $until) = @_;
    my $pause = 0.004;
    $until //= time + $wait;
    until (mkdir $path, 0700) {
        failed($path) unless $! == EEXIST;
        take_over($path);
        refuse(locked => "$path is held by another process; try again", is_busy => 1) if time > $until;
        sleep $pause * (0.5 + rand);
        $pause *= 1.4 if $pause < 0.05;
    }
    return { path => $path, mark => mark($path) };
}

sub take_over {
    my ($path) = @_;
    my $judged = mark($path) or return;
    return if time - $judged->[1] <= $stale;
    my $aside = "$path." . token(4);
    rename $path, $aside or return;    # another was quicker
    if (same(mark($aside), $judged)) { remove_tree($aside); return }
    mkdir($path) ? rename($aside, $path) : rmdir $aside;    # a fresh lock was caught: back to its place, if free
}

# All of it, also what others put there meanwhile.
sub remove_all {
    my ($place) = @_;
    for (1 .. 100) {
        remove_tree($place, { error => \my $ignored });
        return unless -e $place;
        sleep 0.01;
    }
}

# Tells one lock from the next: inode numbers alone are given out again at once by some file systems.
sub mark { my @found = lstat $_[0]; return @found ? [@found[1, 9]] : undef }
sub same { my ($one, $other) = @_; return $one && $other && "@$one" eq "@$other" }
sub is_mine { my ($lock) = @_; return same(mark($lock->{path}), $lock->{mark}) }

# Right before every change on disk: a process that slept may have lost its locks.
sub still_held {
    for my $lock (@held) {
        is_mine($lock) or refuse(locked => "$lock->{path} was taken over meanwhile; nothing more is written");
    }
}

sub read_bytes {
    my ($path) = @_;
    open my $file, '<:raw', $path or return undef;
    local $/;
    return <$file> // '';
}

# (value, problems, is_faithful), or nothing where no file is. A torn one is read again, by default for a second.
sub read_document {
    my ($path, $until) = @_;
    $until //= time + (@held ? 0.2 : 1);
    while (1) {
        my $bytes = read_bytes($path) // return;
        my @found = eval { parse_bytes($bytes) };
        return @found if @found;
        refuse(invalid => "$path is damaged: $@") if time >= $until;
        sleep 0.02;
    }
}

# The value as it stands in the file, for a rewrite that loses nothing of it; undef where no file is.
sub read_to_write {
    my ($path) = @_;
    my ($value, undef, $is_faithful) = read_document($path) or return undef;
    return $value if $is_faithful;
    refuse(refused => "$path holds what cannot be written back as it is");
}

sub publish { my ($path, $value) = @_; write_file($path, pretty($value)) }

sub write_file {
    my ($path, $bytes) = @_;
    still_held();
    my $temporary = "$path.tmp." . token(4);
    my $former    = (lstat $path)[2];
    my $mode      = defined $former && S_ISREG($former) ? $former & 0777 : 0600;
    sysopen my $file, $temporary, O_CREAT | O_EXCL | O_WRONLY, 0600 or failed($temporary);
    eval {
        print {$file} $bytes or failed($temporary);
        chmod $mode, $file;
        close $file or failed($temporary);
        still_held();
        rename $temporary, $path or failed($path);
    } or do { my $error = $@; unlink $temporary; die $error };
}

sub failed { my ($path) = @_; refuse(notFound => "$path has no place any more") if $! == ENOENT; die "$path: $!" }

1;
