import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { numbers } from './syscalls.ts'

const headers = [
  { arch: 'x86_64', at: 0, file: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h' },
  { arch: 'aarch64', at: 1, file: '/usr/include/asm-generic/unistd.h' },
] as const

/** Later than the headers of some systems that are still in use. */
const recent = ['open_tree_attr']

for (const { arch, at, file } of headers)
  test(`the numbers of ${arch} are those of the kernel`, {
    skip: existsSync(file) ? false : 'the headers of the kernel are not installed',
  }, () => {
    const text = readFileSync(file, 'utf8')
    const inHeader = (name: string) =>
      new RegExp(`^#define __NR(?:3264)?_${name}\\s+(\\d+)`, 'm').exec(text)?.[1] ?? null
    for (const [name, known] of Object.entries(numbers)) {
      const number = inHeader(name)
      if (number === null && recent.includes(name)) continue
      assert.equal(known[at], number === null ? null : Number(number), name)
    }
  })
