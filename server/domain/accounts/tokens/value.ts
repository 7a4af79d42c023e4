import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { tokenPattern } from '@signalbox/contract/token.ts'
import { randomBase62, toBase62 } from '../../../infra/base62.ts'

/**
 * `tk_`, 26 random characters (155 bits), 6 of checksum: a scanner can tell a token from a lookalike without asking
 * us, and a mistyped one is refused without asking the database.
 */
export function newTokenValue(): string {
  const random = randomBase62(26)
  return `tk_${random}${checksum(random)}`
}

export const isTokenShaped = (text: string): boolean =>
  tokenPattern.test(text) && checksum(text.slice(3, 29)) === text.slice(29)

const checksum = (random: string) => toBase62(crc32(random), 6)

/** What is kept of a token. Hexadecimal, because that form of the digest costs a sixth of a Buffer. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex')
