import type { SourceKind } from '@signalbox/contract/source.ts'

/** Where its sender delivers: the address is made of the token. Uptime checks have no sender. */
export const sourceAddress = ({ kind, token }: { kind: SourceKind; token: string }, signalUrl: string) =>
  kind === 'uptime' ? null : `${signalUrl}/${token}`
