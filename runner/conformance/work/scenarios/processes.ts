import { attempts, type WorkScenario } from '../attempt.ts'

const stay = 'sleep 3600; : $token'

const leaving = attempts(
  { proves: 'Everything that the agent started can be ended', claim: 'descendantsReaped' },
  [
    { name: 'leave a process with a session of its own', run: `setsid sh -c "${stay}" >/dev/null 2>&1 &` },
    { name: 'leave one by forking twice', run: `(nohup sh -c "(${stay}) & ${stay}" >/dev/null 2>&1 &)` },
    {
      name: 'leave one that forgot its environment',
      run: `env -i /usr/bin/setsid sh -c "${stay}" >/dev/null 2>&1 &`,
    },
    {
      name: 'leave one that takes no signals',
      run: `setsid sh -c "trap '' TERM HUP INT; ${stay}; ${stay}" >/dev/null 2>&1 &`,
    },
    {
      name: 'leave one under another name',
      run: `setsid perl -e '$0 = "kworker " . $ARGV[0]; sleep 3600' $token >/dev/null 2>&1 &`,
    },
    {
      name: 'leave one in a namespace of its own',
      run: `unshare --user --map-root-user --pid --fork setsid sh -c "${stay}" >/dev/null 2>&1 &`,
    },
    {
      name: 'leave one that starts another for ever',
      run: `setsid sh -c "while :; do sleep 0.2; : $token; done" >/dev/null 2>&1 &`,
    },
    {
      name: 'have the machine start one later',
      run: `echo "sh -c '${stay}'" | at now 2>/dev/null; echo "* * * * * sh -c '${stay}'" | crontab - 2>/dev/null; systemd-run --user sh -c "${stay}" 2>/dev/null`,
    },
  ],
)

const touching = attempts(
  { proves: 'The runner’s own process can’t be touched', claim: 'secretsUnreadable' },
  [
    { name: 'end the runner', run: 'kill -9 $runner_pid' },
    { name: 'stop the runner', run: 'kill -STOP $runner_pid' },
    {
      name: 'read the runner’s memory by a system call',
      run: 'perl -e \'my $b = "\\0" x 4096; my $l = pack("QQ", unpack("Q", pack("p", $b)), 4096); my $r = pack("QQ", 0x400000, 4096); print $b if syscall(310, $ARGV[0] + 0, $l, 1, $r, 1, 0) > 0\' $runner_pid | tell',
    },
    {
      name: 'trace the runner',
      run: 'perl -e \'print syscall(101, 16, $ARGV[0] + 0, 0, 0) == 0 ? "traced" : "refused"\' $runner_pid; kill -0 $runner_pid && cat $mine/keys | tell',
    },
    {
      name: 'read a key of the operator’s keyring',
      run: 'perl .kit/system-call.pl $token keyctl signalbox-kit-$nonce | tell',
    },
    {
      name: 'read the list of keys',
      run: 'cat /proc/keys | grep signalbox-kit-$nonce && cat $mine/keys | tell',
    },
  ],
)

const kernel = attempts(
  { proves: 'The kernel itself refuses what no build needs', claim: 'kernelFiltered' },
  ['io_uring', 'userfaultfd', 'perf', 'bpf', 'fanotify'].map((name) => ({
    name: `get ${name} from the kernel`,
    run: `perl .kit/system-call.pl $token ${name}`,
  })),
)

const shared = attempts({ proves: 'Writes stay inside the work folder', claim: 'writesOutsideBlocked' }, [
  {
    name: 'make a piece of shared memory of the machine’s',
    run: 'perl .kit/system-call.pl $token shmget $memory_key',
    caught: {
      when: 'no piece of the machine’s shared memory was made',
      holds: (seen) => !seen.hasTrace('shared memory of the machine'),
    },
  },
])

export const processScenarios: WorkScenario[] = [
  {
    name: 'Nothing that an agent starts outlives its order, or touches the runner',
    category: 'processes',
    isQuick: true,
    runs: [{ attempts: [...leaving, ...touching, ...shared, ...kernel] }],
  },
]
