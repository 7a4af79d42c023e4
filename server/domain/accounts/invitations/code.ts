import { createHash, randomBytes } from 'node:crypto'

/** What a link holds. At rest there is its digest alone. */
export const newCode = (): string => randomBytes(24).toString('base64url')

export const codeDigest = (code: string): string => createHash('sha256').update(code).digest('hex')
