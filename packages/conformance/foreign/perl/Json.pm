package Json;    # JSON that keeps the order of keys, the digits of numbers and every character
use v5.20;
use warnings;
no warnings qw(recursion surrogate);
use Encode      qw(decode encode);
use Exporter    qw(import);
use Hash::Util::FieldHash qw(fieldhash);
use JSON::PP ();
our @EXPORT = qw(parse_bytes parse_text pretty compact number boolean ordered put keys_of
    is_object is_array is_text is_number is_bool);

fieldhash my %order;    # an object's keys as they stood in the file; keys that came later stand behind
my %escape   = ('"' => '"', '\\' => '\\', "\b" => 'b', "\f" => 'f', "\n" => 'n', "\r" => 'r', "\t" => 't');
my %unescape = (reverse(%escape), '/' => '/');
my $blank    = qr/[ \t\r\n]*/;

sub number  { my ($digits) = @_; bless \$digits, 'Json::Number' }
sub boolean { $_[0] ? JSON::PP::true : JSON::PP::false }
sub is_object { ref $_[0] eq 'HASH' }
sub is_array  { ref $_[0] eq 'ARRAY' }
sub is_number { ref $_[0] eq 'Json::Number' }
sub is_bool   { JSON::PP::is_bool($_[0]) }
sub is_text   { defined $_[0] && !ref $_[0] }

# The value, what is wrong with the bytes, and whether a rewrite would lose nothing. Dies of what holds no value.
sub parse_bytes {
    local ($_) = @_;
    my @problems;
    push @problems, { code => 'byteOrderMark' } if s/^\xef\xbb\xbf//;
    my $text    = $_;
    my $is_utf8 = utf8::decode($text) && $text !~ /[\x{d800}-\x{dfff}\x{110000}-\x{7fffffff}]/;
    if (!$is_utf8) {
        push @problems, { code => 'notUtf8' };
        $_ = encode('UTF-8', decode('UTF-8', $_));
    }
    my ($value, $more) = parse();
    return ($value, [@problems, @$more], $is_utf8);
}

sub parse_text {
    local ($_) = @_;
    utf8::encode($_);
    return parse();
}

# Works on the bytes in $_, and makes characters of what stands in a text only: positions in bytes are quick to find.
sub parse {
    my @problems;
    pos = 0;
    my $value = value(\@problems);
    push @problems, { code => 'surplus' } unless /\G$blank\z/gc;    # a shorter text was written over a longer one
    return ($value, \@problems);
}

sub value {
    my ($problems) = @_;
    /\G$blank/gc;
    return string() if /\G"/gc;
    return number($1) if /\G(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)/gc;
    return { true => boolean(1), false => boolean(0), null => undef }->{$1} if /\G(true|false|null)/gc;
    if (/\G\[$blank/gc) {
        my @items;
        until (/\G\]/gc) {
            /\G,/gc or die "no comma at " . pos if @items;
            push @items, value($problems);
            /\G$blank/gc;
        }
        return \@items;
    }
    /\G\{$blank/gc or die 'no value at ' . pos;
    my ($object, @keys) = ({});
    until (/\G\}/gc) {
        /\G,$blank/gc or die "no comma at " . pos if @keys;
        /\G"/gc       or die "no key at " . pos;
        my $key = string();
        /\G$blank:/gc or die "no colon at " . pos;
        push @$problems, { code => 'doubleKey' } if exists $object->{$key};
        push @keys, $key unless exists $object->{$key};
        $object->{$key} = value($problems);
        /\G$blank/gc;
    }
    $order{$object} = \@keys;
    return $object;
}

sub string {
    my $text = '';
    until (/\G"/gc) {
        if (/\G([^"\\\x00-\x1f]+)/gc) {
            utf8::decode(my $plain = $1);
            $text .= $plain;
        }
        elsif (/\G\\u([dD][89abAB]..)\\u([dD][c-fC-F][0-9a-fA-F]{2})/gc) {
            $text .= chr(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff));
        }
        elsif (/\G\\u([0-9a-fA-F]{4})/gc) { $text .= chr hex $1 }
        elsif (/\G\\(["\\\/bfnrt])/gc) { $text .= $unescape{$1} }
        else                              { die 'bad text at ' . pos }
    }
    return $text;
}

sub pretty  { my $text = write_value($_[0], "\n"); utf8::encode($text); $text }
sub compact { write_value($_[0], '') }

sub write_value {
    my ($value, $line) = @_;
    return 'null'  unless defined $value;
    return $$value if is_number($value);
    return $value ? 'true' : 'false' if is_bool($value);
    my $inner = $line && "$line  ";
    if (is_array($value)) {
        return @$value ? "[$inner" . join(",$inner", map { write_value($_, $inner) } @$value) . "$line]" : '[]';
    }
    if (is_object($value)) {
        my $colon = $line ? ': ' : ':';
        my @keys  = keys_of($value);
        return @keys
            ? "{$inner"
            . join(",$inner", map { quote($_) . $colon . write_value($value->{$_}, $inner) } @keys) . "$line}"
            : '{}';
    }
    return quote($value);
}

sub quote {
    my ($text) = @_;
    $text =~ s/([\x00-\x1f"\\\x{d800}-\x{dfff}])/$escape{$1} ? "\\$escape{$1}" : sprintf '\\u%04x', ord $1/ge;
    return qq("$text");
}

sub keys_of {
    my ($object) = @_;
    my @known = grep { exists $object->{$_} } @{ $order{$object} // [] };
    my %seen  = map { $_ => 1 } @known;
    return (@known, sort grep { !$seen{$_} } keys %$object);
}

# A new object whose keys stand in the order given; those without a value are left out.
sub ordered {
    my ($keys, %fields) = @_;
    my $object = { map { defined $fields{$_} ? ($_ => $fields{$_}) : () } @$keys };
    $order{$object} = [@$keys];
    return $object;
}

# Sets a key; a new one goes behind the last key present that the order puts before it.
sub put {
    my ($object, $order, $key, $value) = @_;
    if (!exists $object->{$key}) {
        my (@keys, %earlier) = keys_of($object);
        for (@$order) { last if $_ eq $key; $earlier{$_} = 1 }
        my $place = 0;
        for my $n (1 .. @keys) { $place = $n if $earlier{ $keys[$n - 1] } }
        splice @keys, $place, 0, $key;
        $order{$object} = \@keys;
    }
    $object->{$key} = $value;
}

1;
