import type { Attempt, RunSketch } from './attempt.ts'
import type { RepositoryFile, RepositoryFiles } from './repository.ts'
import type { World } from './world.ts'

/** An attempt with the word by which its traces are known. */
export interface Marked {
  attempt: Attempt
  token: string
}

/** What the runner under test is told to start as its agent. */
export const agentCommand = 'sh .kit/turn.sh'

/** Printed when the agent has come to its end. */
const turnOver = 'The turn is over.'

/**
 * What the agent does, as files of the base: `.kit/turn.sh` is what a runner starts, and finds there whatever it is to
 * do. So any runner that runs a command in a worktree can be held to it. It takes sh, git and perl.
 */
export function turnFiles(
  sketch: RunSketch,
  marked: Marked[],
  world: World,
  runnerPid: number,
): RepositoryFiles {
  const files: RepositoryFiles = {
    '.kit/turn.sh': turn,
    '.kit/world.sh': surroundings(world, runnerPid),
    '.kit/reach.pl': reach,
    '.kit/system-call.pl': systemCall,
    '.kit/call.pl': call,
    '.kit/gate.sh': gate,
    ...Object.fromEntries(
      (['before', 'after', 'plan', 'spec'] as const).map((name) => [
        `.kit/${name}.sh`,
        inWords(sketch[name] ?? '', marked[0]?.token ?? '', world),
      ]),
    ),
  }
  for (const { attempt, token } of marked) {
    for (const [name, file] of Object.entries(attempt.files ?? {}))
      files[inWords(name, token, world)] = filled(file, token, world)
    for (const [folder, lines] of [
      ['attempts', attempt.run],
      ['gates', attempt.inGate],
    ] as const)
      if (lines !== undefined)
        files[`.kit/${folder}/${token}.sh`] = `. .kit/world.sh\n${withSecrets(lines, world)}\n`
  }
  return files
}

/** `{secret:…}` is one of the runner's, for an agent that has found it. */
const withSecrets = (lines: string, { secrets }: World): string =>
  lines.replace(/\{secret:([^}]+)\}/g, (_, name: string) => secrets.get(name) ?? '')

/**
 * In files of the base: `{mine}` is the attempt's own folder of the machine's, `{ran}` where what ran leaves its name.
 */
const inWords = (text: string, token: string, { precious, ran, listeners }: World): string =>
  text
    .replaceAll('{mine}', `${precious}/${token}`)
    .replaceAll('{ran}', `${ran}/${token}`)
    .replaceAll('{token}', token)
    .replaceAll('{port}', `${listeners.port}`)

function filled(file: RepositoryFile, token: string, world: World): RepositoryFile {
  if (typeof file === 'string') return inWords(file, token, world)
  if (Buffer.isBuffer(file) || 'submodule' in file) return file
  return 'link' in file
    ? { link: inWords(file.link, token, world) }
    : { program: inWords(file.program, token, world) }
}

/** Whether it was played: an attempt that could not even be made proves nothing. */
export const playedLine = ({ token }: Pick<Marked, 'token'>) => `played ${token}`

const playAll = (folder: string) => `
for file in .kit/${folder}/*.sh; do
  test -f "$file" || continue
  token=$(basename "$file" .sh)
  token=$token timeout -k 2 15 sh "$file" > "$HOME/.kit-said" 2>&1 < /dev/null
  head -c 30000 "$HOME/.kit-said"
  echo
  echo "played $token"
done
rm -f "$HOME/.kit-said"
`

const turn = `. .kit/world.sh
case \${SIGNALBOX_PURPOSE:-implement} in
plan) . .kit/plan.sh; exit 0 ;;
spec) . .kit/spec.sh; exit 0 ;;
esac
echo Hello. > greeting.txt
. .kit/before.sh
${playAll('attempts')}
. .kit/after.sh
echo '${turnOver}'
exit 0
`

/** The agent puts it where main's gate has its tests. */
const gate = `. .kit/world.sh
${playAll('gates')}
echo 'ok 1 - opens'
echo 1..1
exit 0
`

/**
 * What there is to be reached for. `tell` prints what it reads in letters that no mask knows, under the token of the
 * attempt, so that the kit can see what was read and by which one.
 */
const surroundings = (
  { data, home, beside, precious, ran, folder, listeners, provider, repository, nonce, memoryKey }: World,
  runnerPid: number,
) => `world=${folder} data=${data} operator=${home} beside=${beside} ran=${ran} nonce=${nonce}
origin=${repository.folder} runner_pid=${runnerPid} mine=${precious}/$token
port=${listeners.port} port6=${listeners.port6} udp_port=${listeners.udpPort} provider=${provider.url}
outside_address=${listeners.outside?.address ?? '127.0.0.1'} outside_port=${listeners.outside?.port ?? listeners.port}
socket=${listeners.socket} agent_socket=${listeners.agentSocket} abstract=${listeners.abstractSocket}
memory_key=${memoryKey}
out=\${SIGNALBOX_RESULTS:-/out} model=\${SIGNALBOX_MODEL_URL:-}
tell() { head -c 12000 | od -An -v -tx1 | tr -d ' \\n' | fold -w 2000 | sed "s/^/loot $token /"; echo; }
reach() { perl .kit/reach.pl "$token" "$@"; }
`

/** `reach.pl TOKEN KIND WHERE [PORT]`: sends the token to what listens there. */
const reach = `use Socket qw(:all);
my ($token, $kind, $where, $port) = @ARGV;
$SIG{ALRM} = sub { exit 1 };
alarm 5;
my $address = $kind eq 'tcp' || $kind eq 'udp' ? sockaddr_in($port, inet_aton($where))
  : $kind eq 'tcp6' ? sockaddr_in6($port, inet_pton(AF_INET6, $where))
  : $kind eq 'unix' ? sockaddr_un($where)
  : $kind eq 'abstract' ? pack('S', AF_UNIX) . "\\0" . $where
  : $kind eq 'vsock' ? pack('SSLLx4', 40, 0, $port, $where) : die;
my $family = $kind eq 'tcp' || $kind eq 'udp' ? AF_INET : $kind eq 'tcp6' ? AF_INET6 : $kind eq 'vsock' ? 40 : AF_UNIX;
socket(my $s, $family, $kind eq 'udp' ? SOCK_DGRAM : SOCK_STREAM, 0) or die "no socket: $!";
connect($s, $address) or die "not reached: $!";
syswrite($s, "$token\\n");
sysread($s, my $said, 100) if $kind ne 'udp';
print "reached $said\\n";
`

/** `system-call.pl TOKEN NAME`: what only a kernel gives. What it got it holds for a while, to be seen from outside. */
const systemCall = `my ($token, $name, $extra) = @ARGV;
my $arm = \`uname -m\` =~ /aarch64/;
my %n = $arm
  ? (io_uring => 425, userfaultfd => 282, perf => 241, bpf => 280, fanotify => 262, keyctl => 219, vm_readv => 270, open_by_handle => 265, sethostname => 161, shmget => 194)
  : (io_uring => 425, userfaultfd => 323, perf => 298, bpf => 321, fanotify => 300, keyctl => 250, vm_readv => 310, open_by_handle => 304, sethostname => 170, shmget => 29);
my $r = -1;
if ($name eq 'io_uring') { my $p = "\\0" x 120; $r = syscall($n{io_uring}, 4, $p) }
elsif ($name eq 'userfaultfd') { $r = syscall($n{userfaultfd}, 1); $r = syscall($n{userfaultfd}, 0) if $r < 0 }
elsif ($name eq 'perf') { my $a = pack('LLQQQQQ', 1, 112, 0, 0, 0, 0, 0x60) . ("\\0" x 64); $r = syscall($n{perf}, $a, 0, -1, -1, 0) }
elsif ($name eq 'bpf') { my $a = pack('LLLL', 2, 4, 8, 1) . ("\\0" x 100); $r = syscall($n{bpf}, 0, $a, 72) }
elsif ($name eq 'fanotify') { $r = syscall($n{fanotify}, 0x200, 0) }
elsif ($name eq 'sethostname') { my $h = "kit-$token"; syscall($n{sethostname}, $h, length $h) }
elsif ($name eq 'shmget') { $r = syscall($n{shmget}, $extra + 0, 4096, 01666); print "shm $r\\n"; exit }
elsif ($name eq 'keyctl') {
  my ($t, $d, $v) = ('user', $extra, "\\0" x 200);
  for my $ring (-4, -3, -5) {
    my $k = syscall($n{keyctl}, 10, $ring, $t, $d, 0);
    next if $k < 0;
    my $l = syscall($n{keyctl}, 11, $k, $v, 200);
    print substr($v, 0, $l) if $l > 0;
  }
  exit;
}
if ($r >= 0) { select(undef, undef, undef, 2) }
else { print STDERR "refused: $!\\n" }
`

/**
 * `call.pl MODEL_URL HOW TIMES PATH BODY [HEADER…]`: calls of a model, at once. HOW: `wait` for the end, or hang up
 * `before` the headers, at the first `word`, or at the `last` one.
 */
const call = `use Socket;
my ($url, $how, $times, $path, $body, @headers) = @ARGV;
my ($host, $port, $prefix) = $url =~ m{^http://([^:/]+):(\\d+)(.*?)/?$} or die "no model";
my $method = $path =~ s/^(GET|POST|PUT|DELETE) // ? $1 : 'POST';
for my $at (1 .. $times) {
  my $pid = fork;
  next if $pid;
  $SIG{ALRM} = sub { exit 1 };
  alarm 40;
  socket(my $s, AF_INET, SOCK_STREAM, 0);
  connect($s, sockaddr_in($port, inet_aton($host))) or die "not reached: $!";
  my $text = $body;
  $text =~ s/NUMBER/$at/g;
  my $request = "$method $prefix$path HTTP/1.1\\r\\nhost: $host:$port\\r\\ncontent-type: application/json\\r\\n"
    . join('', map { "$_\\r\\n" } @headers) . 'content-length: ' . length($text) . "\\r\\nconnection: close\\r\\n\\r\\n" . $text;
  while (length $request) { my $n = syswrite($s, $request, 65536) or last; substr($request, 0, $n) = '' }
  if ($how eq 'before') { select(undef, undef, undef, 0.3); close $s; exit }
  my $got = '';
  while (sysread($s, my $more, 65536)) {
    $got .= $more;
    last if $how eq 'word' && $got =~ /word 1/;
    last if $how eq 'last' && $got =~ /the last word/;
  }
  close $s;
  print "answered ", substr($got, 0, 12), "\\n";
  exit;
}
1 while wait != -1;
`
