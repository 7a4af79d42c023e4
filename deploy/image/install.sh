#!/bin/sh
# Installs packages of Debian's into an image, and leaves nothing behind that only an installation needs.
set -eu
apt-get update
apt-get install -y --no-install-recommends "$@"
# Git calls Perl only for commands that Signalbox does not use, and it is as large as everything else installed here.
# shellcheck disable=SC2046 # One name each.
dpkg --purge --force-depends liberror-perl perl \
  $(dpkg-query --show --showformat '${Package} ' 'libperl5*' 'perl-modules*')
rm -rf /var/lib/apt/lists/* /var/cache/* /usr/share/doc /usr/share/man
# Any account may be named with --user.
mkdir -m 1777 /data
