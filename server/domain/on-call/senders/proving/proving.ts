import type { Certificates } from '../../../ports/certificates.ts'
import type { Proof, ProofSource } from './proof.ts'

/** A way to show that one knows the secret of a source. */
export interface Proving {
  /** Checks it. Made once: it may remember what it asked outside. */
  proof(outside: { certificates: Certificates }): Proof
  /** Does it, as the sender would. */
  sign: Signer
  /** Says it to people. */
  words: string
  /** Does it in a shell: lines that send $BODY to $URL, proven with $SECRET. None where only the sender can. */
  shell?(settings: Readonly<Record<string, unknown>>): string[]
  alone?: Alone
}

type Signer = (request: { body: string; secret: string; settings: ProofSource['settings']; at: Date }) => {
  /** By their lower-case names. */
  headers?: Record<string, string>
  query?: Record<string, string>
}

/** When only one party can make the whole proof. */
interface Alone {
  /** Who can. */
  name: string
  /** How to have it made. */
  remedy: string
  /** What is checked of a test from the app. */
  trial: Proof
  /** Why a body cannot have been signed at all; null: it may have been. Nothing outside is asked. */
  unsigned(body: Buffer): string | null
  /** What is said after such a test. */
  tested: string
}
