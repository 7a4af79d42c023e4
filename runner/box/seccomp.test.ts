import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seccompForThisMachine, seccompProgram } from './seccomp.ts'
import { type Arch, auditArch, numberOf, numbers, type Syscall } from './syscalls.ts'

const archs = ['x64', 'arm64'] as const
const allowed = 0x7fff_0000
const killed = 0x8000_0000
const refused = (errno: number) => 0x0005_0000 | errno
const [EPERM, ENOMEM, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [1, 12, 38, 93, 97]

interface Call {
  number: number
  arch?: number
  args?: bigint[]
}

/** Runs the program as the kernel does. */
function verdict(arch: Arch, { number, arch: calledAs = auditArch[arch], args = [] }: Call): number {
  const program = seccompProgram(arch)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(calledAs, 4)
  for (const [at, value] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + 8 * at)
  let accumulator = 0
  for (let at = 0; at * 8 < program.length; at++) {
    const code = program.readUInt16LE(at * 8)
    const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)]
    const operand = program.readUInt32LE(at * 8 + 4)
    const jump = (isSo: boolean) => {
      at += isSo ? yes : no
    }
    if (code === 0x20) accumulator = data.readUInt32LE(operand)
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0
    else if (code === 0x06) return operand
    else if (code === 0x15) jump(accumulator === operand)
    else if (code === 0x25) jump(accumulator > operand)
    else if (code === 0x35) jump(accumulator >= operand)
    else if (code === 0x45) jump((accumulator & operand) !== 0)
    else assert.fail(`There is no instruction ${code}.`)
  }
  return assert.fail('The program ran over its end.')
}

const ask = (arch: Arch, name: Syscall, ...args: number[]) =>
  verdict(arch, { number: numberOf(name, arch)!, args: args.map(BigInt) })

for (const arch of archs) {
  test(`${arch}: what an administrator does is refused, and what programs look for is not there`, () => {
    for (const name of ['mount', 'umount2', 'pivot_root', 'setns', 'fsopen', 'reboot', 'syslog'] as const)
      assert.equal(ask(arch, name), refused(EPERM), name)
    for (const name of [
      'keyctl',
      'io_uring_setup',
      'userfaultfd',
      'bpf',
      'perf_event_open',
      'clone3',
    ] as const)
      assert.equal(ask(arch, name), refused(ENOSYS), name)
  })

  test(`${arch}: processes and threads are started, namespaces are not`, () => {
    const thread = 0x3d0f00
    assert.equal(ask(arch, 'clone', thread), allowed)
    assert.equal(ask(arch, 'clone', 17), allowed)
    for (const flag of [
      0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ]) {
      assert.equal(ask(arch, 'clone', flag | 17), refused(EPERM))
      assert.equal(ask(arch, 'unshare', flag), refused(EPERM))
    }
    assert.equal(ask(arch, 'unshare', 0x80), refused(EPERM), 'time')
    assert.equal(ask(arch, 'unshare', 0x400), allowed, 'its own open files')
  })

  test(`${arch}: sockets are local, TCP or UDP`, () => {
    const close = 0x8_0000
    for (const family of [1, 2, 10])
      for (const kind of [1, 2]) assert.equal(ask(arch, 'socket', family, kind | close, 0), allowed)
    assert.equal(ask(arch, 'socket', 16, 3, 0), allowed, 'which addresses there are')
    assert.equal(ask(arch, 'socket', 16, 3, 12), refused(EAFNOSUPPORT), 'the firewall')
    assert.equal(ask(arch, 'socket', 2, 3, 255), refused(EPROTONOSUPPORT), 'raw')
    assert.equal(ask(arch, 'socket', 2, 1, 132), refused(EPROTONOSUPPORT), 'SCTP')
    for (const family of [17, 31, 38, 40])
      assert.equal(ask(arch, 'socket', family, 1, 0), refused(EAFNOSUPPORT))
    assert.equal(ask(arch, 'socketpair', 1, 1, 0), allowed)
    assert.equal(ask(arch, 'socketpair', 30, 1, 0), refused(EAFNOSUPPORT))
  })

  test(`${arch}: an argument is looked at as the kernel reads it, whatever stands in its upper half`, () => {
    const upper = 0x1_0000_0000n
    const asked = (name: Syscall, ...args: bigint[]) => verdict(arch, { number: numberOf(name, arch)!, args })
    assert.equal(asked('ioctl', 0n, 0x5412n), refused(EPERM))
    assert.equal(asked('ioctl', 0n, 0x5412n + upper), refused(EPERM))
    assert.equal(asked('ioctl', 0n, 0x541cn + upper), refused(EPERM))
    assert.equal(asked('ioctl', 0n, 0x5413n), allowed)
    assert.equal(asked('socket', 40n + upper, 1n, 0n), refused(EAFNOSUPPORT))
    assert.equal(asked('shmget', 0n, 1000n), allowed)
    assert.equal(asked('shmget', 0n, 300_000n), refused(ENOMEM))
    assert.equal(asked('shmget', 0n, upper), refused(ENOMEM))
  })

  test(`${arch}: another architecture's calls end the process`, () => {
    const other = arch === 'x64' ? 0x4000_0003 : 0x4000_0028
    assert.equal(verdict(arch, { number: 1, arch: other }), killed)
    assert.equal(verdict(arch, { number: 1, arch: auditArch[arch === 'x64' ? 'arm64' : 'x64'] }), killed)
  })

  test(`${arch}: whatever is called with whatever arguments, the program comes to an answer`, () => {
    const known = Object.keys(numbers).map((name) => numberOf(name as Syscall, arch) ?? 0)
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...known), fc.nat(600)),
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 6, maxLength: 6 }),
        (number, args) => {
          const told = verdict(arch, { number, args })
          assert.ok(known.includes(number) ? told !== killed : told === allowed)
        },
      ),
      { numRuns: 2_000 },
    )
  })
}

test('the other way to call an x86_64 kernel is not there', () => {
  assert.equal(verdict('x64', { number: 0x4000_0000 + 165 }), refused(ENOSYS))
})

test('a machine without a table has no filter', () => {
  assert.equal(seccompForThisMachine('riscv64'), null)
})
