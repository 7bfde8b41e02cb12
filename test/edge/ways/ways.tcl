# Ways of Tcl over plain http. Usage: ways.tcl NAME URL WORDS
package require http
lassign $argv name url words
regexp {//([^:/]+):(\d+)} $::env(HTTP_PROXY) _ host port
::http::config -proxyhost $host -proxyport $port
if {$name eq "read"} { set token [::http::geturl $url/items] } else { set token [::http::geturl $url/notes -query $words] }
puts [::http::code $token]
