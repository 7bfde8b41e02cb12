# Ways of Perl without modules for TLS: plain http by the proxy. Usage: ways.pl NAME URL WORDS
use strict; use HTTP::Tiny; use IO::Socket::INET;
my ($name, $url, $words) = @ARGV;
if ($name eq 'socket') {
  my ($proxy) = $ENV{HTTP_PROXY} =~ m{//([^/]+)};
  my $socket = IO::Socket::INET->new(PeerAddr => $proxy, Timeout => 20) or die;
  my ($host) = $url =~ m{//([^/]+)};
  print $socket "POST $url/notes HTTP/1.1\r\nHost: $host\r\nContent-Length: " . length($words) . "\r\nConnection: close\r\n\r\n$words";
  print <$socket>;
} else {
  my $answer = $name eq 'read' ? HTTP::Tiny->new->get("$url/items") : HTTP::Tiny->new->post("$url/notes", { content => $words });
  print "$answer->{status} $answer->{content}\n";
}
