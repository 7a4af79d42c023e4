import { type Arch, numberOf, type Syscall } from './syscalls.ts'

type Argument = number | string

const newUser = 0x1000_0000
const seize = 0x4206
const sessionKeyring = -3

/**
 * Calls to the kernel that no shell line makes, harmless where they are allowed: the caller sees by the answer
 * whether a filter or the kernel spoke. The last changes its caller. `runner` stands for the number of the runner's
 * process.
 */
export const rawCalls = {
  keyctl: ['keyctl', 0, sessionKeyring, 0],
  add_key: ['add_key', 'user', 'signalbox', 'x', 0, 0],
  io_uring_setup: ['io_uring_setup', 0, 0],
  userfaultfd: ['userfaultfd', 0xffff],
  bpf: ['bpf', 0xffff, 0, 0],
  perf_event_open: ['perf_event_open', 0, 0, -1, -1, 0],
  name_to_handle_at: ['name_to_handle_at', -1, '', 0, 0, 0],
  syslog: ['syslog', 10, 0, 0],
  tiocsti: ['ioctl', 0, 0x5412, 'x'],
  clone3: ['clone3', 0, 0],
  fsopen: ['fsopen', 0, 0xffff],
  setns: ['setns', -1, 0],
  vsock: ['socket', 40, 1, 0],
  packet: ['socket', 17, 2, 0],
  alg: ['socket', 38, 5, 0],
  netfilter: ['socket', 16, 3, 12],
  ptrace: ['ptrace', seize, 'runner', 0, 0],
  unshare: ['unshare', newUser],
} as const satisfies Record<string, readonly [Syscall, ...Argument[]]>

/** The same for each language that can call the kernel by number, the most widespread first. */
export function rawScripts(arch: Arch, runnerPid: number): string[][] {
  const calls = Object.entries(rawCalls).flatMap(([name, [syscall, ...args]]) => {
    const number = numberOf(syscall, arch)
    return number === null ? [] : [{ name, words: [number, ...(args as Argument[])] }]
  })
  const listed = (words: Argument[], text: (word: string) => string) =>
    words
      .map((word) => (word === 'runner' ? runnerPid : typeof word === 'number' ? word : text(word)))
      .join(', ')
  const perl = calls.map(
    ({ name, words }) =>
      `$! = 0; $v = syscall(${listed(words, (word) => `writable('${word}')`)}); print "${name} $v ", $! + 0, "\\n";`,
  )
  const python = calls.map(
    ({ name, words }) =>
      `c.set_errno(0); print('${name}', k.syscall(${listed(words, (word) => `b'${word}'`)}), c.get_errno())`,
  )
  return [
    // Perl hands the kernel no text that it could not write to.
    ['perl', '-e', ['sub writable { my $copy = shift; return $copy }', ...perl].join('\n')],
    [
      ...['python3', '-I', '-c'],
      ['import ctypes as c', 'k = c.CDLL(None, use_errno=True)', ...python].join('\n'),
    ],
  ]
}
