import { type Arch, auditArch, numberOf, type Syscall } from './syscalls.ts'

/**
 * What the kernel refuses to whatever runs in the box, as the program that it takes: classic BPF, which `bwrap
 * --seccomp` loads before the first instruction of the agent's. npm has no living binding for it, and there is little
 * to it.
 *
 * A list of what is refused, not of what is allowed: builds and tests use too much of the kernel to be listed, and what
 * is not here is still held by the namespaces. `ptrace` is not here: the box has processes of its own only, all under
 * this filter, and leak checkers and debuggers of a test suite need it for their own children.
 */
export function seccompProgram(arch: Arch): Buffer {
  const rules = [
    ...plain('ENOSYS', unknown, arch),
    ...plain('EPERM', forbidden, arch),
    ...inspected.flatMap(({ name, checks }) => rule(name, checks, arch)),
  ]
  return assembled([...onlyThis(arch), ...rules, answer(allow)])
}

/** Null where there is no table for the machine: then nothing is filtered, and what was measured says so. */
export const seccompForThisMachine = (arch: string = process.arch): Buffer | null =>
  arch === 'x64' || arch === 'arm64' ? seccompProgram(arch) : null

/** Programs that find these missing go another way: `clone3` cannot be looked into, and libc then takes `clone`. */
const unknown: Syscall[] = [
  ...(['clone3', 'io_uring_setup', 'io_uring_enter', 'io_uring_register', 'userfaultfd'] as const),
  ...(['bpf', 'perf_event_open', 'add_key', 'request_key', 'keyctl', 'memfd_secret', 'modify_ldt'] as const),
  ...(['create_module', 'get_kernel_syms', 'query_module', 'nfsservctl', 'lookup_dcookie'] as const),
  ...(['_sysctl', 'uselib', 'ustat', 'sysfs'] as const),
]

/** Of an administrator's, whatever rights someone thinks to have. */
const forbidden: Syscall[] = [
  ...(['mount', 'umount2', 'pivot_root', 'chroot', 'move_mount', 'open_tree', 'open_tree_attr'] as const),
  ...(['fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'setns'] as const),
  ...(['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot'] as const),
  ...(['swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd', 'syslog', 'vhangup'] as const),
  ...([
    'settimeofday',
    'clock_settime',
    'clock_adjtime',
    'adjtimex',
    'sethostname',
    'setdomainname',
  ] as const),
  ...(['name_to_handle_at', 'open_by_handle_at', 'fanotify_init', 'iopl', 'ioperm'] as const),
]

/** One look at an argument, of which the kernel itself reads the lower half only. */
type Check =
  | { argument: number; isOneOf: readonly number[]; mask?: number; otherwise: Errno }
  | { argument: number; isNoneOf: readonly number[]; otherwise: Errno }
  | { argument: number; has: number; otherwise: Errno }
  | { argument: number; isAtMost: number; otherwise: Errno }
  | { argument: number; when: readonly number[]; checks: Check[] }

const newNamespaces = 0x7e02_0000
const newTime = 0x80

const stream = 1
const datagram = 2
const kinds = 0xf
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 }

/**
 * Local sockets, and TCP and UDP of a loopback that leads nowhere. Of netlink what `getifaddrs` asks. Every other
 * family and protocol is a kernel driver that no box needs, down to the way to the host of a virtual machine.
 */
const socketChecks: Check[] = [
  { argument: 0, isOneOf: Object.values(families), otherwise: 'EAFNOSUPPORT' },
  {
    ...{ argument: 0, when: [families.netlink] },
    checks: [{ argument: 2, isOneOf: [0], otherwise: 'EAFNOSUPPORT' }],
  },
  {
    ...{ argument: 0, when: [families.inet, families.inet6] },
    checks: [
      { argument: 1, mask: kinds, isOneOf: [stream, datagram], otherwise: 'EPROTONOSUPPORT' },
      { argument: 2, isOneOf: [0, 6, 17], otherwise: 'EPROTONOSUPPORT' },
    ],
  },
]

/** Memory that no process holds is not seen by looking at processes: segments of System V stay small, 4,096 of them. */
const segmentBytes = 256 * 1024

/**
 * The usual, for 32 bits, without random addresses as sanitizers and debuggers want it, and the question what it is.
 */
const personalities = [0, 0x8, 0x4_0000, 0x2_0000, 0x2_0008, 0xffff_ffff]

const tiocsti = 0x5412
const tioclinux = 0x541c

const inspected: { name: Syscall; checks: Check[] }[] = [
  { name: 'clone', checks: [{ argument: 0, has: newNamespaces, otherwise: 'EPERM' }] },
  { name: 'unshare', checks: [{ argument: 0, has: newNamespaces | newTime, otherwise: 'EPERM' }] },
  { name: 'personality', checks: [{ argument: 0, isOneOf: personalities, otherwise: 'EPERM' }] },
  { name: 'socket', checks: socketChecks },
  {
    name: 'socketpair',
    checks: [{ argument: 0, isOneOf: [families.unix], otherwise: 'EAFNOSUPPORT' }],
  },
  { name: 'ioctl', checks: [{ argument: 1, isNoneOf: [tiocsti, tioclinux], otherwise: 'EPERM' }] },
  { name: 'shmget', checks: [{ argument: 1, isAtMost: segmentBytes, otherwise: 'ENOMEM' }] },
]

const errnos = {
  EPERM: 1,
  ENOMEM: 12,
  ENOSYS: 38,
  EPROTONOSUPPORT: 93,
  EAFNOSUPPORT: 97,
} as const
type Errno = keyof typeof errnos

const allow = 0x7fff_0000
const killProcess = 0x8000_0000
const refuse = (errno: Errno) => 0x0005_0000 | errnos[errno]

/** One instruction: code, how far to jump when it is so and when not, operand. */
interface Instruction {
  code: number
  yes: number
  no: number
  operand: number
}

const instruction = (code: number, operand: number, yes = 0, no = 0): Instruction => ({
  ...{ code, yes, no, operand },
})
const load = (offset: number) => instruction(0x20, offset)
const and = (mask: number) => instruction(0x54, mask)
const answer = (verdict: number) => instruction(0x06, verdict)
/** Passes over so many instructions where it is so, else where it is not. */
const whenEqual = (value: number, yes: number, no: number) => instruction(0x15, value, yes, no)
const whenGreater = (value: number, yes: number, no: number) => instruction(0x25, value, yes, no)
const whenAtLeast = (value: number, yes: number, no: number) => instruction(0x35, value, yes, no)
const whenAnyBit = (value: number, yes: number, no: number) => instruction(0x45, value, yes, no)

const theNumber = load(0)
const theArch = load(4)
const lowOf = (argument: number) => load(16 + 8 * argument)
const highOf = (argument: number) => load(20 + 8 * argument)

/** The numbers mean something else to another architecture, and to the 32-bit way of calling this one. */
function onlyThis(arch: Arch): Instruction[] {
  const x32 = 0x4000_0000
  return [
    ...[theArch, whenEqual(auditArch[arch], 1, 0), answer(killProcess), theNumber],
    ...(arch === 'x64' ? [whenAtLeast(x32, 0, 1), answer(refuse('ENOSYS'))] : []),
  ]
}

const plain = (errno: Errno, names: Syscall[], arch: Arch): Instruction[] =>
  names.flatMap((name) => {
    const number = numberOf(name, arch)
    return number === null ? [] : [whenEqual(number, 0, 1), answer(refuse(errno))]
  })

/** A call that passes every check is allowed. */
function rule(name: Syscall, checks: Check[], arch: Arch): Instruction[] {
  const number = numberOf(name, arch)
  if (number === null) return []
  const block = [...checks.flatMap(compiled), answer(allow)]
  return [whenEqual(number, 0, block.length), ...block]
}

function compiled(check: Check): Instruction[] {
  const low = lowOf(check.argument)
  if ('when' in check) {
    const block = check.checks.flatMap(compiled)
    return [low, ...oneOf(check.when, block.length), ...block]
  }
  const refused = answer(refuse(check.otherwise))
  if ('has' in check) return [low, whenAnyBit(check.has, 0, 1), refused]
  // A size has both halves.
  if ('isAtMost' in check)
    return [
      ...[highOf(check.argument), whenEqual(0, 1, 0), refused],
      ...[low, whenGreater(check.isAtMost, 0, 1), refused],
    ]
  if ('isNoneOf' in check)
    return [low, ...check.isNoneOf.flatMap((value) => [whenEqual(value, 0, 1), refused])]
  const masked = check.mask === undefined ? [low] : [low, and(check.mask)]
  return [
    ...masked,
    ...check.isOneOf.map((value, at) => whenEqual(value, check.isOneOf.length - at, 0)),
    refused,
  ]
}

/** Goes on where it is one of them, else passes over so many. */
const oneOf = (values: readonly number[], otherwise: number): Instruction[] =>
  values.map((value, at) => {
    const left = values.length - 1 - at
    return whenEqual(value, left, left === 0 ? otherwise : 0)
  })

function assembled(instructions: Instruction[]): Buffer {
  const program = Buffer.alloc(instructions.length * 8)
  for (const [at, { code, yes, no, operand }] of instructions.entries()) {
    program.writeUInt16LE(code, at * 8)
    program.writeUInt8(yes, at * 8 + 2)
    program.writeUInt8(no, at * 8 + 3)
    program.writeUInt32LE(operand >>> 0, at * 8 + 4)
  }
  return program
}
