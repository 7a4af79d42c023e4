import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { defaultPageSize, maxPageSize } from '@signalbox/contract/page.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { DomainError } from '../../domain/errors.ts'
import type { PageRequest } from '../../domain/page.ts'
import type { MacKeys } from '../../infra/secrets.ts'

const version = 1
const macBytes = 8
const length = 1 + 16 + macBytes

/**
 * Cursors are opaque and bound to their list: workspace, endpoint and filters. The MAC keeps no secret, since the
 * workspace is in every query anyway; it catches a cursor that is carried over to other filters halfway through.
 */
export class Cursors {
  readonly #keys: MacKeys

  constructor(keys: MacKeys) {
    this.#keys = keys
  }

  seal(scope: string, id: string): string {
    const position = Buffer.from(id.replaceAll('-', ''), 'hex')
    return Buffer.concat([Buffer.of(version), position, mac(this.#keys()[0], scope, position)]).toString(
      'base64url',
    )
  }

  open(scope: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const position = bytes.subarray(1, 17)
    const valid =
      bytes.length === length &&
      bytes[0] === version &&
      // Decoding skips characters it does not know; only the exact text counts.
      bytes.toString('base64url') === cursor &&
      this.#keys().some((key) => timingSafeEqual(bytes.subarray(17), mac(key, scope, position)))
    if (!valid) {
      throw new DomainError(
        'invalid_cursor',
        '`cursor` is not valid for this list. Pass nextCursor unchanged and keep the filters of the first page.',
      )
    }
    const hex = position.toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /** The page that a caller asks for, of the list with that scope. */
  page(scope: string, { limit, cursor }: { limit?: number; cursor?: string }): PageRequest {
    return {
      limit: Math.min(limit ?? defaultPageSize, maxPageSize),
      after: cursor === undefined ? null : this.open(scope, cursor),
    }
  }
}

const mac = (key: KeyObject, scope: string, position: Buffer): Buffer =>
  createHmac('sha256', key).update(scope).update('\0').update(position).digest().subarray(0, macBytes)

/** The elements are JSON already; the page only puts them in a row. */
export const pageJson = <T>(
  data: readonly Json<T>[],
  nextCursor: string | null,
): Json<{ data: T[]; nextCursor: string | null }> =>
  `{"data":[${data.join(',')}],"nextCursor":${nextCursor === null ? 'null' : `"${nextCursor}"`}}` as Json<never>
